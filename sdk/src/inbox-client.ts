/**
 * A person's own inbox, preferences and subscriptions, from the person's browser: with a user token and no API key. It uses
 * nothing but fetch, streams and timers.
 */
import type {
  BulkActionInput,
  BulkActionResult,
  InboxActionName,
  InboxChanges,
  InboxItem,
  InboxPage,
  InboxQuery,
  Preferences,
  PreferencesChanges,
  ReadAllInput,
  ReadAllResult,
  Subscription,
  UnreadCount,
} from '@carillon/contract'
import { type CallOptions, createSender } from './http.ts'
import type { Seen } from './inbox.ts'
import { createInboxStream, type StreamOptions } from './inbox-stream.ts'
import { type ClientOptions, checkOptions } from './options.ts'
import { path } from './path.ts'
import { fetchWithToken, type TokenOptions } from './token.ts'

export type InboxClient = ReturnType<typeof createInboxClient>
export type InboxClientOptions = Omit<ClientOptions, 'apiKey'> & TokenOptions

export function createInboxClient(options: InboxClientOptions) {
  const { token, refreshToken, ...rest } = options
  if (token === undefined && refreshToken === undefined)
    throw new TypeError('Pass a token, or refreshToken to get one.')
  const fetch = fetchWithToken(options.fetch ?? ((...request) => globalThis.fetch(...request)), options)
  // Each call gets the token that is valid then; the sender only has to know that there will be one.
  const send = createSender({ ...rest, apiKey: 'token', fetch })
  const { url } = checkOptions({ ...rest, apiKey: 'token' })
  /** Doing it twice has the same effect as doing it once, so it is repeated like a GET. */
  const post = <T>(to: string, body: object, call?: CallOptions): Promise<T> =>
    send({ method: 'POST', path: to, body, repeatable: true, ...call })

  return {
    /** Newest first; `q` is the filter language, such as `is:unread reason:mention`. */
    async list(query: Partial<Omit<InboxQuery, 'user_id'>> = {}, call?: CallOptions): Promise<InboxPage> {
      return send({ method: 'GET', path: '/v1/inbox', query, ...call })
    },

    async get(id: string, call?: CallOptions): Promise<InboxItem> {
      return send({ method: 'GET', path: path`/v1/inbox/${id}`, ...call })
    },

    async unreadCount(call?: CallOptions): Promise<UnreadCount> {
      return send({ method: 'GET', path: '/v1/inbox/unread-count', ...call })
    },

    /** What has changed since the version of an earlier answer, as it is now. */
    async changes(since: string, call?: CallOptions): Promise<InboxChanges> {
      return send({ method: 'GET', path: '/v1/inbox/changes', query: { since }, ...call })
    },

    /** Marks, puts away, keeps or hides one; a hidden one is gone, so nothing comes back. */
    async act(
      id: string,
      action: InboxActionName,
      seen: Seen = {},
      call?: CallOptions,
    ): Promise<InboxItem | undefined> {
      return post(path`/v1/inbox/${id}/${action}`, seen, call)
    },

    /** The same with up to 100 at once. */
    async actOnMany(input: BulkActionInput, call?: CallOptions): Promise<BulkActionResult> {
      return post('/v1/inbox/actions', input, call)
    },

    async readAll(input: ReadAllInput = {}, call?: CallOptions): Promise<ReadAllResult> {
      return post('/v1/inbox/read-all', input, call)
    },

    async snooze(id: string, until: string, call?: CallOptions): Promise<InboxItem> {
      return post(path`/v1/inbox/${id}/snooze`, { until }, call)
    },

    /** Presses a button. */
    async answer(id: string, action: string, call?: CallOptions): Promise<InboxItem> {
      return post(path`/v1/inbox/${id}/answer`, { action }, call)
    },

    /** Every change as it happens, for as long as the loop runs. */
    stream: (streamOptions?: StreamOptions) => createInboxStream({ ...options, url, fetch })(streamOptions),

    /** `userId` has to be the token's own person. */
    async preferences(userId: string, call?: CallOptions): Promise<Preferences> {
      return send({ method: 'GET', path: path`/v1/users/${userId}/preferences`, ...call })
    },

    async updatePreferences(
      userId: string,
      changes: PreferencesChanges,
      call?: CallOptions,
    ): Promise<Preferences> {
      return send({ method: 'PATCH', path: path`/v1/users/${userId}/preferences`, body: changes, ...call })
    },

    /** Follows a thread, or leaves it. */
    async subscribe(
      thread: { kind: string; id: string },
      subscribed = true,
      call?: CallOptions,
    ): Promise<Subscription> {
      const at = path`/v1/threads/${thread.kind}/${thread.id}/subscription`
      return send({ method: 'PUT', path: at, body: { subscribed }, ...call })
    },
  }
}
