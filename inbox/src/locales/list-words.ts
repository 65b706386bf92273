/** What the rows say, and what can be done with them. */
import type { TriageAction } from '../client/state.ts'
import type { Forms } from './say.ts'

export interface ListWords {
  title: string
  unread: string
  /** Why a person has a row. A reason of the product's own is shown as it is called. */
  reasons: Record<string, string>
  /** How many events a row stands for, with `{count}`. */
  events: Forms
  /** `{names}`, and `{count}` who are not named. */
  others: Forms
  noTopic: string
  /** With `{until}`. */
  snoozedUntil: string

  actions: Record<TriageAction, string>
  more: string
  select: string

  /** With `{count}`. */
  selected: Forms
  selectAll: string
  clear: string

  /** What was just done to `{count}` rows. */
  did: Record<TriageAction, Forms>
  undid: string
  /** With `{label}`, that of the button that was pressed. */
  answered: string
  refused: string
  /** How many more rows are shown, with `{count}`. */
  loaded: Forms
}
