/** What the server tells of changes: asked for, applied to the rows, and checked against its own count. */
import type { InboxChanges, InboxItem } from '@carillon/sdk/inbox'
import type { Clock } from './clock.ts'
import type { TabMessage } from './live.ts'
import type { PageParts, Pages } from './pages.ts'

export interface NewsParts extends PageParts {
  clock: Clock
  pages: Pages
  /** Whether the stream is: then nothing else says that the server is back. */
  isBroken: () => boolean
  announce: (items: InboxItem[]) => void
  /** For the other tabs, if this one listens for all. */
  tell: (message: TabMessage) => void
}

export interface Told {
  changed: InboxItem[]
  removed: string[]
  unread: number
}

export function createNews({ client, rows, pages, clock, state, change, run, ...parts }: NewsParts) {
  let isWaiting = false
  let drifts = 0

  /** Applies what the server tells, and asks for what only it knows. */
  function absorb(told: Told): InboxItem[] {
    const { news, isUncertain } = rows.absorb(told, pages.view, clock.now())
    const isBack = state().connection === 'offline' && pages.isLoaded && !parts.isBroken()
    change(isBack ? { connection: 'ready', problem: '' } : {})
    if (isUncertain) void pages.reload()
    return news
  }

  function apply(changes: InboxChanges): void {
    pages.version = changes.version
    parts.announce(absorb(changes))
    const hasDrifted = !changes.reset && rows.hasDrifted(pages.view, clock.now())
    drifts = hasDrifted ? drifts + 1 : 0
    // Once may be a change that was counted before it was read; the next answer has both.
    if (changes.reset || drifts >= 2) void pages.reload()
  }

  return {
    absorb,
    apply,
    begin(): void {
      isWaiting = false
      drifts = 0
    },
    /** Asks what has changed. Calls that come while one waits are that one. */
    async catchUp(): Promise<void> {
      if (isWaiting) return
      isWaiting = true
      await run(async () => {
        isWaiting = false
        const since = pages.version
        if (since === undefined) return
        const isOver = parts.begun()
        const changes = await client.changes(since)
        if (isOver()) return
        apply(changes)
        parts.tell({ kind: 'changes', since, changes })
      })
    },
  }
}
