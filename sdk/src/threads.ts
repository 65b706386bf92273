/** Threads, who takes part in them, and who follows them. */
import type {
  Page,
  Participant,
  Subscription,
  SubscriptionInput,
  Thread,
  ThreadChanges,
  ThreadInput,
  ThreadQuery,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition } from './pages.ts'
import { path } from './path.ts'

export interface ThreadKey {
  kind: string
  id: string
}

export function createThreads(send: Send) {
  const of = ({ kind, id }: ThreadKey): string => path`/v1/threads/${kind}/${id}`

  const list = async (query: ThreadQuery = {}, options?: CallOptions): Promise<Page<Thread>> =>
    send({ method: 'GET', path: '/v1/threads', query: { ...query }, ...options })

  const subscriptions = async (
    thread: ThreadKey,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<Subscription>> =>
    send({ method: 'GET', path: `${of(thread)}/subscriptions`, query: position, ...options })

  return {
    async put(thread: ThreadKey, input: ThreadInput = {}, options?: CallOptions): Promise<Thread> {
      return send({ method: 'PUT', path: of(thread), body: input, ...options })
    },

    async update(thread: ThreadKey, changes: ThreadChanges, options?: CallOptions): Promise<Thread> {
      return send({ method: 'PATCH', path: of(thread), body: changes, ...options })
    },

    async get(thread: ThreadKey, options?: CallOptions): Promise<Thread> {
      return send({ method: 'GET', path: of(thread), ...options })
    },

    list,

    all(query: ThreadQuery = {}, options?: CallOptions) {
      return everyRow<Thread>(next => list({ ...query, ...next }, options))
    },

    async delete(thread: ThreadKey, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: of(thread), ...options })
    },

    /** Gives the person a lasting relation to the thread, such as assignee. */
    async addParticipant(
      thread: ThreadKey,
      relation: string,
      userId: string,
      options?: CallOptions,
    ): Promise<Participant> {
      const rest = path`/participants/${relation}/${userId}`
      return send({ method: 'PUT', path: `${of(thread)}${rest}`, ...options })
    },

    async participants(
      thread: ThreadKey,
      position: PagePosition = {},
      options?: CallOptions,
    ): Promise<Page<Participant>> {
      return send({ method: 'GET', path: `${of(thread)}/participants`, query: position, ...options })
    },

    async removeParticipant(
      thread: ThreadKey,
      relation: string,
      userId: string,
      options?: CallOptions,
    ): Promise<void> {
      const rest = path`/participants/${relation}/${userId}`
      return send({ method: 'DELETE', path: `${of(thread)}${rest}`, ...options })
    },

    /** Lets a person follow the thread, or leave it. */
    async subscribe(
      thread: ThreadKey,
      input: SubscriptionInput,
      options?: CallOptions,
    ): Promise<Subscription> {
      return send({ method: 'PUT', path: `${of(thread)}/subscription`, body: input, ...options })
    },

    async subscription(thread: ThreadKey, userId: string, options?: CallOptions): Promise<Subscription> {
      const query = { user_id: userId }
      return send({ method: 'GET', path: `${of(thread)}/subscription`, query, ...options })
    },

    /** The watch on the topic decides again. */
    async forgetSubscription(thread: ThreadKey, userId: string, options?: CallOptions): Promise<void> {
      const query = { user_id: userId }
      return send({ method: 'DELETE', path: `${of(thread)}/subscription`, query, ...options })
    },

    subscriptions,

    allSubscriptions(thread: ThreadKey, position?: PagePosition, options?: CallOptions) {
      return everyRow<Subscription>(next => subscriptions(thread, next, options), position)
    },

    async subscriptionsOf(
      userId: string,
      position: PagePosition = {},
      options?: CallOptions,
    ): Promise<Page<Subscription>> {
      return send({
        method: 'GET',
        path: path`/v1/users/${userId}/subscriptions`,
        query: position,
        ...options,
      })
    },
  }
}
