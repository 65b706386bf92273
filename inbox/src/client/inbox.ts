/**
 * A notification centre without markup: what it shows, what a person does with it, and live changes. The element is drawn
 * from this, and so is whatever you draw yourself.
 */
import { CarillonPersonError, createInboxClient, type InboxClient, type InboxItem } from '@carillon/sdk/inbox'
import { pushLater } from '../push/push-later.ts'
import { SYSTEM_CLOCK } from './clock.ts'
import { createDeeds } from './deeds.ts'
import { createFollowing } from './following.ts'
import type { Inbox, InboxOptions } from './inbox-api.ts'
import { createListeners } from './listeners.ts'
import type { TabMessage } from './live.ts'
import { createNews } from './news.ts'
import { outliving } from './outliving.ts'
import { createPages } from './pages.ts'
import { connectionAfter, isTemporary, textOf } from './problems.ts'
import { createQueue, StoppedError } from './queue.ts'
import { createRows } from './rows.ts'
import { EMPTY, type InboxState } from './state.ts'
import { browserTabs } from './tabs.ts'

/** How long after a failure that may pass something is tried again. */
const RECOVERY_MS = 5000

export function createInbox({ pageSize = 30, serviceWorker, ...options }: InboxOptions): Inbox {
  const { clock = SYSTEM_CLOCK, tabs = browserTabs(), ...rest } = options
  const client: InboxClient = createInboxClient({ ...rest, fetch: outliving(rest.fetch) })
  const listeners = createListeners<InboxState>()
  const newcomers = createListeners<InboxItem[]>()
  const rows = createRows()
  let state: InboxState = EMPTY
  let person: string | undefined
  /** Of the tab that leads. */
  let tell: ((message: TabMessage) => void) | undefined
  let ending: AbortController | undefined
  let cancelWake = () => {}
  /** The stream is, and tries to come back by itself. */
  let isBroken = false
  let cancelRecovery = () => {}
  let queue = newQueue()

  function newQueue() {
    return createQueue({ isTemporary, onWaiting: fail, after: clock.after })
  }

  /** Whatever has changed, the rows and the badge follow from what is known now. */
  function change(changes: Partial<InboxState> = {}): void {
    const { items, unread } = rows.shown(pages.view, clock.now())
    state = { ...state, items, unread, hasMore: pages.hasMore, unsent: rows.pending.size, ...changes }
    cancelWake()
    const wakeMs = ending === undefined ? undefined : rows.nextWake(clock.now())
    if (wakeMs !== undefined) cancelWake = clock.after(wakeMs - clock.now(), wakeSnoozed)
    listeners.tell(state)
  }

  /** What one person asked or did is never sent as another. */
  async function run<T>(task: () => Promise<T>, keepsTrying = false): Promise<T> {
    const askedBy = person
    async function asTheSame(): Promise<T> {
      if (askedBy !== undefined && client.person() !== askedBy) throw new CarillonPersonError()
      return task()
    }
    try {
      return await queue.run(asTheSame, { keepsTrying })
    } catch (error) {
      if (error instanceof CarillonPersonError) await beginForAnother()
      throw error
    }
  }

  const isOfAnother = () => person !== undefined && client.person() !== person

  async function beginForAnother(): Promise<void> {
    if (!isOfAnother()) return
    forget()
    await begin()
  }

  function forget(): void {
    person = undefined
    rows.forget()
    pages.forget()
    change({ undoable: undefined })
  }

  const shared = {
    client,
    rows,
    clock,
    change,
    fail,
    run,
    state: () => state,
    begun() {
      const of = ending
      return () => ending !== of
    },
  }
  const pages = createPages(shared, pageSize)
  const news = createNews({
    ...shared,
    pages,
    announce,
    tell: message => tell?.(message),
    isBroken: () => isBroken,
  })
  const deeds = createDeeds({ ...shared, pages, absorb: news.absorb })

  function announce(items: InboxItem[]): void {
    if (items.length > 0) newcomers.tell(items)
  }

  function fail(error: unknown): void {
    if (error instanceof StoppedError) return
    if (error instanceof CarillonPersonError) return void beginForAnother()
    const connection = connectionAfter(error)
    if (connection === 'offline') {
      cancelRecovery()
      cancelRecovery = clock.after(RECOVERY_MS, recover)
      change({ connection, problem: textOf(error) })
    } else {
      // Whoever signs in again begins anew, and may be somebody else.
      stop()
      if (connection === 'signed-out') forget()
      change({ connection, problem: textOf(error) })
    }
  }

  /** A broken stream says when it is back; whatever else failed is tried again. */
  function recover(): void {
    if (state.connection !== 'offline' || isBroken || ending === undefined) return
    if (pages.isLoaded) catchUpQuietly()
    else void pages.load()
  }

  const catchUpQuietly = () => void news.catchUp().catch(fail)

  function wakeSnoozed(): void {
    const woken = rows.wakeDue(pages.view, clock.now())
    change()
    announce(woken)
    catchUpQuietly()
  }

  function connected(isOpen: boolean): void {
    isBroken = !isOpen
    if (isBroken) change({ connection: 'offline' })
    else {
      queue.wakeUp()
      recover()
    }
  }

  const follow = createFollowing({
    ...shared,
    tabs,
    pages,
    news,
    isOfAnother,
    onConnection: connected,
    onLeading: others => {
      tell = others
    },
    inTurn: task => queue.run(task),
  })

  /** Of whoever the token is of now; nothing of anybody else stays. */
  async function begin(): Promise<void> {
    ending?.abort()
    ending = new AbortController()
    tell = undefined
    const { signal } = ending
    globalThis.addEventListener?.('pagehide', () => queue.hurry(), { signal })
    queue.stop()
    queue = newQueue()
    news.begin()
    isBroken = false
    change({ connection: 'loading', problem: '', problemAt: undefined, undoable: undefined })
    await pages.load()
    if (signal.aborted) return
    person = client.person()
    catchUpQuietly()
    void follow(signal)
  }

  function stop(): void {
    ending?.abort()
    ending = undefined
    tell = undefined
    cancelWake()
    cancelRecovery()
    queue.stop()
  }

  return {
    client,
    get state() {
      return state
    },
    get isLeader() {
      return tell !== undefined
    },
    subscribe: listeners.add,
    onNew: newcomers.add,
    async start() {
      if (ending === undefined) await begin()
    },
    stop,
    show: pages.show,
    refresh: pages.reload,
    loadMore: pages.loadMore,
    ...deeds,
    ...pushLater(client, serviceWorker),
  }
}
