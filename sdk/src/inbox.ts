/** People's inboxes, as the product's backend sees them. Browsers use createInboxClient() with a token. */
import type {
  BulkActionInput,
  BulkActionResult,
  InboxActionName,
  InboxChanges,
  InboxGroup,
  InboxGroupQuery,
  InboxItem,
  InboxPage,
  InboxQuery,
  Page,
  ReadAllInput,
  ReadAllResult,
  UnreadCount,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow } from './pages.ts'
import { path } from './path.ts'

type Listing = Partial<Omit<InboxQuery, 'user_id'>>
type Grouping = Partial<Omit<InboxGroupQuery, 'user_id' | 'by'>>
/** What the person looked at: what an event has changed since stays as it is. */
export interface Seen {
  seen_version?: string
}

export function createInbox(send: Send) {
  const list = (userId: string, query: Listing = {}, options?: CallOptions): Promise<InboxPage> =>
    send({ method: 'GET', path: '/v1/inbox', query: { user_id: userId, ...query }, ...options })

  /** Doing it twice has the same effect as doing it once, so it is repeated like a GET. */
  const post = <T>(userId: string, to: string, body: object, options?: CallOptions): Promise<T> =>
    send({ method: 'POST', path: to, query: { user_id: userId }, body, repeatable: true, ...options })

  return {
    /** One page, newest first. `q` is in the filter language: `is:unread reason:mention`. */
    list,

    all(userId: string, query: Listing = {}, options?: CallOptions) {
      return everyRow<InboxItem>(page => list(userId, { ...query, ...page } as Listing, options), query)
    },

    async get(userId: string, id: string, options?: CallOptions): Promise<InboxItem> {
      return send({ method: 'GET', path: path`/v1/inbox/${id}`, query: { user_id: userId }, ...options })
    },

    async unreadCount(userId: string, options?: CallOptions): Promise<UnreadCount> {
      return send({ method: 'GET', path: '/v1/inbox/unread-count', query: { user_id: userId }, ...options })
    },

    /** What has changed since the `version` of an earlier answer. */
    async changes(userId: string, since: string, options?: CallOptions): Promise<InboxChanges> {
      return send({ method: 'GET', path: '/v1/inbox/changes', query: { user_id: userId, since }, ...options })
    },

    async groups(
      userId: string,
      by: InboxGroupQuery['by'],
      query: Grouping = {},
      options?: CallOptions,
    ): Promise<Page<InboxGroup>> {
      const asked = { user_id: userId, by, ...query }
      return send({ method: 'GET', path: '/v1/inbox/groups', query: asked, ...options })
    },

    /** `hide` answers nothing: the row is gone. */
    async act(
      userId: string,
      id: string,
      action: InboxActionName,
      seen: Seen = {},
      options?: CallOptions,
    ): Promise<InboxItem | undefined> {
      return post(userId, path`/v1/inbox/${id}/${action}`, seen, options)
    },

    async snooze(
      userId: string,
      id: string,
      until: string,
      seen: Seen = {},
      options?: CallOptions,
    ): Promise<InboxItem> {
      return post(userId, path`/v1/inbox/${id}/snooze`, { until, ...seen }, options)
    },

    /** Presses a button; its event is emitted once, however often this is called. */
    async answer(userId: string, id: string, action: string, options?: CallOptions): Promise<InboxItem> {
      return post(userId, path`/v1/inbox/${id}/answer`, { action }, options)
    },

    /** The same with up to 100 rows. */
    async bulk(userId: string, input: BulkActionInput, options?: CallOptions): Promise<BulkActionResult> {
      return post(userId, '/v1/inbox/actions', input, options)
    },

    async readAll(userId: string, input: ReadAllInput = {}, options?: CallOptions): Promise<ReadAllResult> {
      return post(userId, '/v1/inbox/read-all', input, options)
    },
  }
}
