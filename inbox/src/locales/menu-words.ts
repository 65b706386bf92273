/** What menus, suggestions and dialogs say. */
import type { Forms } from './say.ts'

export interface MenuWords {
  groups: Record<'none' | 'topic' | 'date', string>

  snoozeUntil: string
  laterToday: string
  tomorrow: string
  nextWeek: string
  chooseTime: string
  deselect: string

  /** With `{count}`. */
  suggestions: Forms
  filterKeys: Record<'is' | 'reason' | 'topic' | 'from' | 'type' | 'kind' | 'thread' | 'date', string>
  filterStates: Record<'unread' | 'read' | 'done' | 'saved' | 'snoozed' | 'all', string>
  noTopic: string
  filterName: string
  save: string

  shortcuts: string
  close: string
  keys: Record<
    | 'next'
    | 'first'
    | 'open'
    | 'done'
    | 'read'
    | 'save'
    | 'mute'
    | 'snooze'
    | 'select'
    | 'extend'
    | 'selectAll'
    | 'clear'
    | 'undo'
    | 'filter'
    | 'help',
    string
  >
}
