/** What an action makes of a row, as the server does it: shown at once, before the server has answered. Pure. */
import type { InboxItem } from '@carillon/sdk/inbox'

/** One thing that is done with rows. */
export type Change =
  | { action: 'read' | 'unread' | 'done' | 'undone' | 'save' | 'unsave' | 'unsnooze' }
  | { action: 'snooze'; until: string }
  | { action: 'answer'; answer: string }

/** Of these the server leaves rows alone that an event has changed since the person looked. */
const CONCERNS_EVENTS = new Set<Change['action']>(['read', 'done', 'snooze'])

export function applyChange(item: InboxItem, change: Change, now: number): InboxItem {
  const at = new Date(now).toISOString()
  switch (change.action) {
    case 'read':
      return item.is_read ? item : { ...item, is_read: true, read_at: at }
    case 'unread':
      return { ...item, is_read: false, read_at: null }
    case 'done': {
      if (item.done_at !== null) return item
      // What is done has been read: a badge would count what no list shows.
      return { ...item, done_at: at, is_read: true, read_at: item.read_at ?? at, snoozed_until: null }
    }
    case 'undone':
      return { ...item, done_at: null }
    case 'save':
      return item.saved_at === null ? { ...item, saved_at: at } : item
    case 'unsave':
      return { ...item, saved_at: null }
    case 'snooze':
      return { ...item, snoozed_until: change.until }
    case 'unsnooze':
      return { ...item, snoozed_until: null }
    case 'answer':
      return { ...item, answer: { action: change.answer, answered_at: at } }
  }
}

/** A snooze has ended: the row is as new as it was. */
export function wake(item: InboxItem): InboxItem {
  return { ...item, snoozed_until: null, is_read: false, read_at: null, done_at: null }
}

export function isAwake({ snoozed_until }: InboxItem, now: number): boolean {
  return snoozed_until === null || Date.parse(snoozed_until) <= now
}

export function isGone({ expires_at }: InboxItem, now: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= now
}

/** Whether the badge counts it. */
export function isUnread(item: InboxItem, now: number): boolean {
  return !item.is_read && item.done_at === null && isAwake(item, now) && !isGone(item, now)
}

/** Something that was done and that the server has not confirmed yet. */
export interface Pending {
  change: Change
  /** The rows as the person saw them. */
  seen: ReadonlyMap<string, InboxItem>
  atMs: number
  /** Everything that is unread, also what is not loaded. */
  readsAll?: boolean
}

/** A row with what was done to it, in that order; what an event has changed since the person looked stays as it is. */
export function withPending(item: InboxItem, pending: readonly Pending[]): InboxItem {
  return pending.reduce((row, { change, seen, atMs }) => {
    const looked = seen.get(row.id)
    if (looked === undefined) return row
    const isStale = CONCERNS_EVENTS.has(change.action) && hasNews(looked, row)
    return isStale ? row : applyChange(row, change, atMs)
  }, item)
}

/** Whether an event has happened between the two. */
export function hasNews(before: InboxItem, after: InboxItem): boolean {
  return before.last_event_at !== after.last_event_at || before.event_count !== after.event_count
}
