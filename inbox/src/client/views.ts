/** Which rows a view shows. The server decides; what is decided here too spares a question per change. */
import type { InboxItem } from '@carillon/sdk/inbox'
import type { Tab, View } from './state.ts'
import { isAwake, isGone } from './transitions.ts'

const TERMS: Record<Tab, string> = { inbox: '', saved: 'is:saved', done: 'is:done' }

/** The filter that lists a view. */
export function queryOf({ tab, query }: View): string {
  return [TERMS[tab], query.trim()].filter(term => term !== '').join(' ')
}

/** Where a place of the filter that lists a view is in what the person wrote. */
export function ownPosition(view: View, at: number): number {
  return Math.max(at - (queryOf(view).length - view.query.trim().length), 0)
}

/** Whether a view has the row; undefined if only the server can tell. */
export function isShown(item: InboxItem, { tab, query }: View, now: number): boolean | undefined {
  if (isGone(item, now)) return false
  const isInTab = isOfTab(item, tab, now)
  if (query.trim() === '') return isInTab
  // A filter asks for less than its tab has, unless it speaks of states itself.
  return isInTab || /\bis:/i.test(query) ? undefined : false
}

function isOfTab(item: InboxItem, tab: Tab, now: number): boolean {
  if (tab === 'saved') return item.saved_at !== null
  if (tab === 'done') return item.done_at !== null && isAwake(item, now)
  return item.done_at === null && isAwake(item, now)
}

/** Newest event first, as the server lists them. Times are all written alike, so texts compare like times. */
export function inOrder(items: readonly InboxItem[]): InboxItem[] {
  return [...items].sort(compare)
}

export function compare(one: InboxItem, other: InboxItem): number {
  if (one.last_event_at !== other.last_event_at) return one.last_event_at < other.last_event_at ? 1 : -1
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0
}
