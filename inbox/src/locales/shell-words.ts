/** What is said around the list: tabs, filters, states and notices. */
import type { Tab } from '../client/state.ts'
import type { Forms } from './say.ts'

/** A heading, and a sentence that says what to expect or to do. */
interface Notice {
  title: string
  text: string
}

export interface ShellWords {
  title: string
  /** What the bell is called, with `{count}`. */
  unread: Forms
  tabs: Record<Tab, string>
  readAll: string
  groupBy: string
  settings: string
  back: string
  close: string

  filter: string
  filterExample: string
  clearFilter: string
  saveFilter: string
  removeFilter: string

  empty: Record<Tab | 'filter', Notice>
  offline: Notice
  /** Above rows that may be out of date. */
  offlineNotice: string
  /** Nothing has ever come, and the browser has a connection. */
  unreachable: Notice
  failed: Notice
  filterProblem: Notice
  signedOut: Notice
  retry: string

  undo: string
  refused: string
  dismiss: string
  /** Toasts that there is no room for, with `{count}`. */
  more: Forms
}
