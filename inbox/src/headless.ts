/** The notification centre without markup, for those who draw their own. */
export { type Group, groupRows } from './client/groups.ts'
export { createInbox } from './client/inbox.ts'
export type { Inbox, InboxOptions } from './client/inbox-api.ts'
export type { Connection, InboxState, Tab, TriageAction, Undoable, View } from './client/state.ts'
export type { PushState } from './push/push.ts'
