/** Live changes: one tab listens to the server and tells the others. */
import type { InboxChanges, InboxClient, InboxStreamEvent } from '@carillon/sdk/inbox'
import type { Clock } from './clock.ts'
import { isTemporary } from './problems.ts'
import { ALONE, type Tabs } from './tabs.ts'

/** What the leading tab tells the others. */
export type TabMessage =
  | { kind: 'connection'; isOpen: boolean }
  | { kind: 'changes'; since: string; changes: InboxChanges }

export interface LiveParts {
  client: InboxClient
  tabs: Tabs
  clock: Clock
  /** What has been seen so far. */
  version: () => string | undefined
  onConnection: (isOpen: boolean) => void
  /** This tab leads from now on: whatever it learns, it tells the others. */
  onLeading: (tell: (message: TabMessage) => void) => void
  onEvent: (event: InboxStreamEvent) => Promise<unknown>
  /** The leading tab has asked already. */
  onTold: (message: Extract<TabMessage, { kind: 'changes' }>) => void
  /** Another tab listens from now on; of what was before, it may have told nobody. */
  onLed: () => void
}

const PAUSE_MS = 60_000

/** Until `signal`; rejects when the server refuses for good. */
export async function followLive(parts: LiveParts, signal: AbortSignal): Promise<void> {
  const { client, clock, onConnection, onEvent, onTold } = parts
  const person = client.person()
  const tabs = person === undefined ? ALONE : parts.tabs

  async function listen(tell: (message: TabMessage) => void): Promise<void> {
    const since = parts.version()
    const connected = (isOpen: boolean) => {
      tell({ kind: 'connection', isOpen })
      onConnection(isOpen)
    }
    const stream = client.stream({ signal, onConnection: connected, ...(since !== undefined && { since }) })
    for await (const event of stream) await onEvent(event)
  }

  /** A refusal that ends by itself, such as too many streams at once, is not the end. */
  async function lead(tell: (message: TabMessage) => void): Promise<void> {
    parts.onLeading(tell)
    while (!signal.aborted) {
      try {
        await listen(tell)
      } catch (error) {
        if (signal.aborted) return
        if (!isTemporary(error)) throw error
        onConnection(false)
        await pause(clock, signal)
      }
    }
  }

  function hear(message: TabMessage): void {
    if (message.kind === 'changes') onTold(message)
    else {
      onConnection(message.isOpen)
      if (message.isOpen) parts.onLed()
    }
  }

  await tabs.join<TabMessage>(`carillon-inbox ${client.url} ${person}`, { lead, hear }, signal)
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const cancel = clock.after(PAUSE_MS, resolve)
    const end = () => {
      cancel()
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
