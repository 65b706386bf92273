/** What a person does with rows: shown at once, sent in order, taken back if the server refuses. */
import { type BulkActionInput, CarillonError, type InboxItem } from '@carillon/sdk/inbox'
import type { Clock } from './clock.ts'
import type { Told } from './news.ts'
import type { PageParts, Pages } from './pages.ts'
import { connectionAfter } from './problems.ts'
import type { TriageAction } from './state.ts'
import type { Change, Pending } from './transitions.ts'
import { type Step, undoOf } from './undo.ts'
import { queryOf } from './views.ts'

export interface DeedParts extends Omit<PageParts, 'run'> {
  clock: Clock
  pages: Pages
  run: <T>(task: () => Promise<T>, keepsTrying?: boolean) => Promise<T>
  absorb: (told: Told) => unknown
}

type Thread = NonNullable<InboxItem['thread']>

/** As many as the server takes at once. */
const MOST_IDS = 100

export function createDeeds({ client, rows, clock, pages, state, change, fail, run, absorb }: DeedParts) {
  /** How to take back what was done last. */
  let takeBack: (() => Promise<void>) | undefined

  /** Shows the change until the server has answered, whatever it says. */
  async function doAtOnce(
    what: Omit<Pending, 'seen' | 'atMs'> & { ids: readonly string[] },
    send: (seenVersion: string | undefined) => Promise<void>,
  ): Promise<void> {
    const { ids, ...rest } = what
    const seen = new Map(rows.known(ids).map(item => [item.id, item]))
    const pending: Pending = { ...rest, seen, atMs: clock.now() }
    const seenVersion = pages.version
    rows.pending.add(pending)
    change()
    try {
      await run(() => send(seenVersion), true)
    } catch (error) {
      if (connectionAfter(error) === 'signed-out') fail(error)
      throw error
    } finally {
      rows.pending.delete(pending)
      change()
    }
  }

  async function sendChange({ change, ids }: Step, seenVersion: string | undefined): Promise<void> {
    for (let from = 0; from < ids.length; from += MOST_IDS) {
      const input = {
        ...change,
        ids: ids.slice(from, from + MOST_IDS),
        ...(seenVersion && { seen_version: seenVersion }),
      }
      const { changed, missing, unread } = await client.actOnMany(input as BulkActionInput)
      absorb({ changed, removed: missing, unread })
    }
  }

  const perform = (step: Step) => doAtOnce(step, seenVersion => sendChange(step, seenVersion))

  /** Until something else is done, or this is refused, it can be taken back. */
  async function undoably(
    action: TriageAction,
    count: number,
    undo: () => Promise<void>,
    doing: Promise<void>,
  ) {
    takeBack = undo
    change({ undoable: { action, count } })
    try {
      await doing
    } catch (error) {
      if (takeBack === undo) forgetUndo()
      throw error
    }
  }

  function forgetUndo(): void {
    takeBack = undefined
    change({ undoable: undefined })
  }

  async function triage(action: Exclude<TriageAction, 'mute'>, step: Step): Promise<void> {
    if (step.ids.length === 0) return
    const steps = undoOf(action, rows.known(step.ids))
    const undo = async () => void (await Promise.all(steps.map(perform)))
    await undoably(action, step.ids.length, undo, perform(step))
  }

  return {
    act: (ids: string[], action: Exclude<TriageAction, 'snooze' | 'mute'>) =>
      triage(action, { change: { action }, ids }),

    snooze: (ids: string[], until: Date) =>
      triage('snooze', { change: { action: 'snooze', until: until.toISOString() }, ids }),

    async mute({ id, thread }: InboxItem): Promise<void> {
      if (thread === null) return
      const steps = undoOf('mute', rows.known([id]))
      let restore: () => Promise<unknown> = async () => {}
      const put = doAtOnce({ change: { action: 'done' }, ids: [id] }, async seenVersion => {
        restore = await leave(thread)
        await sendChange({ change: { action: 'done' }, ids: [id] }, seenVersion)
      })
      const undo = async () => {
        const rowsBack = steps.map(perform)
        await Promise.all([run(() => restore(), true), ...rowsBack])
      }
      await undoably('mute', 1, undo, put)
    },

    async undo(): Promise<void> {
      const undo = takeBack
      forgetUndo()
      await undo?.()
    },

    async readAll(): Promise<void> {
      forgetUndo()
      const { view } = pages
      const readsAll = view.tab === 'inbox' && view.query.trim() === ''
      const ids = state().items.map(({ id }) => id)
      await doAtOnce({ change: { action: 'read' }, ids, readsAll }, async seenVersion => {
        await client.readAll({ q: queryOf(view), ...(seenVersion && { seen_version: seenVersion }) })
        // It says how many, and not which.
        const since = pages.version
        if (since === undefined) return
        const changes = await client.changes(since)
        pages.version = changes.version
        absorb(changes)
        if (changes.reset) void pages.reload()
      })
    },

    async answer(id: string, action: string): Promise<void> {
      const change: Change = { action: 'answer', answer: action }
      await doAtOnce({ change, ids: [id] }, async () => {
        const item = await client.answer(id, action)
        absorb({ changed: [item], removed: [], unread: rows.unread })
      })
    },
  }

  /** Gives back how to follow the thread again as before. */
  async function leave(thread: Thread): Promise<() => Promise<unknown>> {
    const isFollowed = await client.subscription(thread).then(
      ({ subscribed }) => subscribed,
      error => {
        if (error instanceof CarillonError && error.status === 404) return undefined
        throw error
      },
    )
    await client.subscribe(thread, false)
    if (isFollowed === undefined) return () => client.forgetSubscription(thread)
    return () => client.subscribe(thread, isFollowed)
  }
}
