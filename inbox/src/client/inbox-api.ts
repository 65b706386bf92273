/** What a notification centre without markup offers. */
import type { InboxClient, InboxClientOptions, InboxItem } from '@carillon/sdk/inbox'
import type { PushState } from '../push/push.ts'
import type { Clock } from './clock.ts'
import type { InboxState, TriageAction, View } from './state.ts'
import type { Tabs } from './tabs.ts'

export interface InboxOptions extends InboxClientOptions {
  pageSize?: number
  /** The path of the service worker on the page's own origin. Default: /carillon-service-worker.js. */
  serviceWorker?: string
  /** Replaces the clock and what joins the tabs. For tests. */
  clock?: Clock
  tabs?: Tabs
}

export interface Inbox {
  readonly client: InboxClient
  readonly state: InboxState
  /** Whether this is the one tab of the person that listens to the server: the one for a sound. */
  readonly isLeader: boolean
  /** Calls with every new state, until the function that it gives back is called. */
  subscribe(listener: (state: InboxState) => void): () => void
  /** Calls with what has just come in and is unread, for a toast or a sound. */
  onNew(listener: (items: InboxItem[]) => void): () => void
  /** Resolves when there is something to show, or a state that says why not. After `signed-out`, begins again. */
  start(): Promise<void>
  stop(): void
  show(view: Partial<View>): Promise<void>
  loadMore(): Promise<void>
  refresh(): Promise<void>
  /**
   * This and the following show their result at once. While the server cannot be reached they wait (`state.unsent`); if it
   * refuses, the rows are as they were and the promise rejects.
   */
  act(ids: string[], action: Exclude<TriageAction, 'snooze' | 'mute'>): Promise<void>
  snooze(ids: string[], until: Date): Promise<void>
  /** Leaves the thread and puts the row away; what passes a mute, such as a mention, brings it back. */
  mute(item: InboxItem): Promise<void>
  /** Takes back what `state.undoable` says. */
  undo(): Promise<void>
  /** Marks everything as read that the view shows, and nothing that came in since. */
  readAll(): Promise<void>
  /** Presses a button. */
  answer(id: string, action: string): Promise<void>
  /** Whether this browser gets pushes while no page is open. */
  pushState(): Promise<PushState>
  /** Asks the person, and registers the browser. Call it from a click: browsers ignore it otherwise. */
  enablePush(): Promise<PushState>
  disablePush(): Promise<PushState>
}
