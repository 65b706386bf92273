/**
 * A person's own inbox, preferences and subscriptions, from the person's browser: with a user token and no API key. It uses
 * nothing but fetch, streams and timers.
 */
import type {
  BulkActionInput,
  BulkActionResult,
  Device,
  DeviceInput,
  InboxActionName,
  InboxChanges,
  InboxGroup,
  InboxGroupQuery,
  InboxItem,
  InboxPage,
  InboxQuery,
  NotificationSettings,
  Page,
  Preferences,
  PreferencesChanges,
  ReadAllInput,
  ReadAllResult,
  SavedFilter,
  SavedFilterInput,
  Subscription,
  UnreadCount,
} from '@carillon/contract'
import { type CallOptions, createSender } from './http.ts'
import type { Seen } from './inbox.ts'
import { createInboxStream, type StreamOptions } from './inbox-stream.ts'
import { type ClientOptions, checkOptions } from './options.ts'
import { path } from './path.ts'
import { holdToken, personIn, type TokenOptions } from './token.ts'

export type InboxClient = ReturnType<typeof createInboxClient>
export type InboxClientOptions = Omit<ClientOptions, 'apiKey'> & TokenOptions

export function createInboxClient(options: InboxClientOptions) {
  const { token, refreshToken, ...rest } = options
  if (token === undefined && refreshToken === undefined)
    throw new TypeError('Pass a token, or refreshToken to get one.')
  const held = holdToken(options.fetch ?? ((...request) => globalThis.fetch(...request)), options)
  const { fetch } = held
  // Each call gets the token that is valid then; the sender only has to know that there will be one.
  const send = createSender({ ...rest, apiKey: 'token', fetch })
  const { url } = checkOptions({ ...rest, apiKey: 'token' })
  /** Doing it twice has the same effect as doing it once, so it is repeated like a GET. */
  const post = <T>(to: string, body: object, call?: CallOptions): Promise<T> =>
    send({ method: 'POST', path: to, body, repeatable: true, ...call })

  return {
    url,

    /** Whose token it is, for keeping people apart; undefined before there is one. */
    person: () => personIn(held.current()),

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

    /** How many there are of each topic or day. */
    async groups(
      query: Omit<InboxGroupQuery, 'user_id' | 'limit'> & { limit?: number },
      call?: CallOptions,
    ): Promise<Page<InboxGroup>> {
      return send({ method: 'GET', path: '/v1/inbox/groups', query, ...call })
    },

    async savedFilters(call?: CallOptions): Promise<{ data: SavedFilter[] }> {
      return send({ method: 'GET', path: '/v1/saved-filters', ...call })
    },

    /** Saves the filter, or replaces the one of that name. */
    async saveFilter(name: string, input: SavedFilterInput, call?: CallOptions): Promise<SavedFilter> {
      return send({ method: 'PUT', path: path`/v1/saved-filters/${name}`, body: input, ...call })
    },

    async deleteFilter(name: string, call?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/saved-filters/${name}`, ...call })
    },

    /** Who the person is and all that they decide about, in one answer. */
    async settings(call?: CallOptions): Promise<NotificationSettings> {
      return send({ method: 'GET', path: '/v1/notification-settings', ...call })
    },

    /** `userId` has to be the token's own person, here and below; settings() says who that is. */
    async devices(userId: string, call?: CallOptions): Promise<{ data: Device[] }> {
      return send({ method: 'GET', path: path`/v1/users/${userId}/devices`, ...call })
    },

    /** Of a browser: its push subscription. Registering it again answers the same device. */
    async registerDevice(userId: string, device: DeviceInput, call?: CallOptions): Promise<Device> {
      return post(path`/v1/users/${userId}/devices`, device, call)
    },

    async deleteDevice(userId: string, id: string, call?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/users/${userId}/devices/${id}`, ...call })
    },

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

    /** What the person chose about a thread, or what follows from their part in it; refused with 404 if nothing. */
    async subscription(thread: { kind: string; id: string }, call?: CallOptions): Promise<Subscription> {
      return send({
        method: 'GET',
        path: path`/v1/threads/${thread.kind}/${thread.id}/subscription`,
        ...call,
      })
    },

    /** Forgets the choice, so that the watch on the topic decides again. */
    async forgetSubscription(thread: { kind: string; id: string }, call?: CallOptions): Promise<void> {
      return send({
        method: 'DELETE',
        path: path`/v1/threads/${thread.kind}/${thread.id}/subscription`,
        ...call,
      })
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
