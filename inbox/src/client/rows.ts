/**
 * The rows that are known, as the server told last, and which of them the view lists. What was done and is not confirmed
 * lies over them: so taking back what the server refuses is only leaving it out.
 */
import type { InboxItem } from '@carillon/sdk/inbox'
import type { View } from './state.ts'
import { hasNews, isAwake, isUnread, type Pending, wake, withPending } from './transitions.ts'
import { compare, inOrder, isShown } from './views.ts'

export interface Absorbed {
  /** Unread, and something happened to them that was not known. */
  news: InboxItem[]
  /** Only the server can tell whether the view has some of these. */
  isUncertain: boolean
}

export function createRows() {
  const known = new Map<string, InboxItem>()
  const pending = new Set<Pending>()
  let listed = new Set<string>()
  /** The last row of the last page; what comes after it arrives with its own page. */
  let boundary: InboxItem | undefined
  let newest = ''
  let unread = 0

  function keep(item: InboxItem): void {
    known.set(item.id, item)
    if (item.last_event_at > newest) newest = item.last_event_at
  }

  const isWithinPages = (item: InboxItem) => boundary === undefined || compare(item, boundary) <= 0
  const nowOf = (item: InboxItem) => (pending.size === 0 ? item : withPending(item, [...pending]))

  function isNews(item: InboxItem, now: number): boolean {
    if (!isUnread(item, now)) return false
    const before = known.get(item.id)
    if (before === undefined) return item.last_event_at >= newest
    return hasNews(before, item) || !isAwake(before, now)
  }

  function list(item: InboxItem, view: View, now: number): boolean | undefined {
    const verdict = isShown(item, view, now)
    if (verdict === false) listed.delete(item.id)
    if (verdict === true && isWithinPages(item)) listed.add(item.id)
    return verdict
  }

  return {
    pending,
    get unread() {
      return unread
    },
    get listedCount() {
      return listed.size
    },
    known: (ids: readonly string[]) => ids.flatMap(id => known.get(id) ?? []).map(nowOf),

    /** The first pages of a view, as they are now. */
    replace(items: readonly InboxItem[], hasMore: boolean): void {
      for (const item of items) keep(item)
      listed = new Set(items.map(({ id }) => id))
      boundary = hasMore ? items.at(-1) : undefined
    },
    append(items: readonly InboxItem[], hasMore: boolean): void {
      for (const item of items) keep(item)
      for (const { id } of items) listed.add(id)
      boundary = hasMore ? (items.at(-1) ?? boundary) : undefined
    },
    clear(): void {
      listed = new Set()
      boundary = undefined
    },
    forget(): void {
      this.clear()
      known.clear()
      pending.clear()
      newest = ''
      unread = 0
    },
    /** What has changed, with the number of unread ones that belongs to it. */
    absorb(
      {
        changed,
        removed,
        unread: counted,
      }: { changed: readonly InboxItem[]; removed: readonly string[]; unread: number },
      view: View,
      now: number,
    ): Absorbed {
      unread = counted
      for (const id of removed) {
        known.delete(id)
        listed.delete(id)
      }
      const news = changed.filter(item => isNews(item, now))
      for (const item of changed) keep(item)
      const verdicts = changed.map(item => list(item, view, now))
      return { news, isUncertain: verdicts.includes(undefined) }
    },
    /** One row that is better known now; the number of unread ones is told by others. */
    update(item: InboxItem, view: View, now: number): boolean {
      keep(item)
      return list(item, view, now) === undefined
    },
    /** Snoozes that are over: the server says so too, but the clock is here. Gives those that have woken. */
    wakeDue(view: View, now: number): InboxItem[] {
      const due = [...known.values()]
        .filter(item => item.snoozed_until !== null && isAwake(item, now))
        .map(wake)
      for (const item of due) this.update(item, view, now)
      return due
    },
    /** When the next snooze ends. */
    nextWake(now: number): number | undefined {
      let next: number | undefined
      for (const item of known.values()) {
        const { snoozed_until } = nowOf(item)
        const at = snoozed_until === null ? 0 : Date.parse(snoozed_until)
        if (at > now && (next === undefined || at < next)) next = at
      }
      return next
    },
    /** What a view shows, with everything that was done. */
    shown(view: View, now: number): { items: InboxItem[]; unread: number } {
      const done = [...pending].flatMap(({ seen }) => [...seen.keys()])
      const items = [...new Set([...listed, ...done])].flatMap(id => known.get(id) ?? []).map(nowOf)
      const isVisible = (item: InboxItem) => {
        const verdict = isShown(item, view, now)
        return verdict === true ? isWithinPages(item) : verdict === undefined && listed.has(item.id)
      }
      return { items: inOrder(items.filter(isVisible)), unread: countUnread(new Set(done), now) }
    },
    /** Whether the number that the server counts cannot be that of these rows. */
    hasDrifted(view: View, now: number): boolean {
      const isInbox = view.tab === 'inbox' && view.query.trim() === ''
      if (!isInbox || pending.size > 0) return false
      const count = [...listed].filter(id => isUnread(known.get(id)!, now)).length
      return boundary === undefined ? count !== unread : count > unread
    },
  }

  function countUnread(touched: ReadonlySet<string>, now: number): number {
    const counts = (item: InboxItem) => Number(isUnread(item, now))
    if ([...pending].some(({ readsAll }) => readsAll))
      return [...known.values()].reduce((sum, item) => sum + counts(nowOf(item)), 0)
    const rows = [...touched].flatMap(id => known.get(id) ?? [])
    return Math.max(
      0,
      rows.reduce((sum, item) => sum + counts(nowOf(item)) - counts(item), unread),
    )
  }
}

export type Rows = ReturnType<typeof createRows>
