/** What a notification centre shows at a moment. It never changes: every change makes a new one. */
import type { InboxItem } from '@carillon/sdk/inbox'

export type Tab = 'inbox' | 'saved' | 'done'

export interface View {
  tab: Tab
  /** In the filter language, added to what the tab asks for. */
  query: string
}

/**
 * `loading` has nothing to show yet, `offline` shows what it had and comes back by itself, `signed-out` needs a new token,
 * nobody gives one, and nothing of the person is kept; `failed` was refused for another reason.
 */
export type Connection = 'loading' | 'ready' | 'offline' | 'signed-out' | 'failed'

export interface InboxState {
  connection: Connection
  /** Why, for developers and in English; and for a filter that could not be understood, for whoever wrote it. */
  problem: string
  /** At which character of the view's filter the mistake is, counted from 0; undefined if it is elsewhere. */
  problemAt: number | undefined
  view: View
  items: readonly InboxItem[]
  /** The number on the bell: unread in the whole inbox, whatever is shown. */
  unread: number
  hasMore: boolean
  isLoadingMore: boolean
  /** The rows are those of before, and others are on their way. */
  isRefreshing: boolean
  /** How many things were done that the server does not know yet; they are sent when it can be reached. */
  unsent: number
  /** What was just done and can be taken back; undefined when that is over. */
  undoable: Undoable | undefined
}

export interface Undoable {
  action: TriageAction
  count: number
}

/** What a person does with rows; each has an opposite. */
export type TriageAction = 'read' | 'unread' | 'done' | 'undone' | 'save' | 'unsave' | 'snooze' | 'mute'

export const EMPTY: InboxState = {
  connection: 'loading',
  problem: '',
  problemAt: undefined,
  view: { tab: 'inbox', query: '' },
  items: [],
  unread: 0,
  hasMore: false,
  isLoadingMore: false,
  isRefreshing: false,
  unsent: 0,
  undoable: undefined,
}
