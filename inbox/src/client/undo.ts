/** How something that was done is taken back, so that each row is again as it was. Pure. */
import type { InboxItem } from '@carillon/sdk/inbox'
import type { TriageAction } from './state.ts'
import type { Change } from './transitions.ts'

/** A change, and the rows it is for. */
export interface Step {
  change: Change
  ids: string[]
}

/** `before` are the rows as they were. What would change nothing is left out. */
export function undoOf(action: TriageAction, before: readonly InboxItem[]): Step[] {
  const steps = before.flatMap(item => restoring(action, item).map(change => ({ change, id: item.id })))
  const grouped = new Map<string, Step>()
  for (const { change, id } of steps) {
    const key = JSON.stringify(change)
    const step = grouped.get(key) ?? { change, ids: [] }
    step.ids.push(id)
    grouped.set(key, step)
  }
  return [...grouped.values()]
}

function restoring(action: TriageAction, item: InboxItem): Change[] {
  const snooze = snoozeOf(item)
  switch (action) {
    case 'read':
      return item.is_read ? [] : [{ action: 'unread' }]
    case 'unread':
      return item.is_read ? [{ action: 'read' }] : []
    case 'done':
    case 'mute':
      if (item.done_at !== null) return []
      return [{ action: 'undone' }, ...(item.is_read ? [] : [UNREAD]), ...snooze]
    case 'undone':
      return item.done_at === null ? [] : [{ action: 'done' }]
    case 'save':
      return item.saved_at === null ? [{ action: 'unsave' }] : []
    case 'unsave':
      return item.saved_at === null ? [] : [{ action: 'save' }]
    case 'snooze':
      return snooze.length > 0 ? snooze : [{ action: 'unsnooze' }]
  }
}

const UNREAD: Change = { action: 'unread' }

function snoozeOf({ snoozed_until }: InboxItem): Change[] {
  return snoozed_until === null ? [] : [{ action: 'snooze', until: snoozed_until }]
}
