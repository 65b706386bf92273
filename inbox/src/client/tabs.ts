/**
 * Tabs of the same person share one live stream: browsers open six connections to one origin, for all tabs together. The tab
 * that holds a lock leads; when it closes, the browser gives the lock to another.
 */
export interface Tabs {
  /**
   * `lead` runs in one tab at a time, until `signal` or its own end; `hear` gets what the leader tells.
   * Rejects with what `lead` threw.
   */
  join<Message>(name: string, part: TabPart<Message>, signal: AbortSignal): Promise<void>
}

export interface TabPart<Message> {
  lead(tell: (message: Message) => void): Promise<void>
  hear(message: Message): void
}

/** Without the means to share, or without knowing whose tabs belong together, each tab leads itself. */
export const ALONE: Tabs = {
  join: (_name, { lead }) => lead(() => {}),
}

export function browserTabs(): Tabs {
  const locks = globalThis.navigator?.locks
  if (locks === undefined || typeof BroadcastChannel === 'undefined' || typeof document === 'undefined')
    return ALONE
  return {
    async join(name, { lead, hear }, signal) {
      const channel = new BroadcastChannel(name)
      channel.onmessage = event => hear(event.data)
      signal.addEventListener('abort', () => channel.close(), { once: true })
      try {
        await locks.request(name, { signal }, () => lead(message => channel.postMessage(message)))
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
  }
}
