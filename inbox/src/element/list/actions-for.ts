import type { InboxItem } from '@carillon/sdk'
import type { TriageAction } from '../../client/state.ts'

/** What can be done with a row as it is now. */
export function actionsFor(item: InboxItem): TriageAction[] {
  return [
    item.done_at === null ? 'done' : 'undone',
    item.saved_at === null ? 'save' : 'unsave',
    'snooze',
    ...(item.thread === null ? [] : ['mute' as const]),
    item.is_read ? 'unread' : 'read',
  ]
}
