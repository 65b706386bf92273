/** The catalog of notification types, and who watches which topic. */
import type { NotificationType, NotificationTypeInput, Page, Watch, WatchInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition, wholeList } from './pages.ts'
import { path } from './path.ts'

export function createNotificationTypes(send: Send) {
  return {
    ...wholeList<NotificationType>(send, '/v1/notification-types'),

    async get(name: string, options?: CallOptions): Promise<NotificationType> {
      return send({ method: 'GET', path: path`/v1/notification-types/${name}`, ...options })
    },

    /** Creates the type or replaces it as a whole. */
    async put(name: string, type: NotificationTypeInput, options?: CallOptions): Promise<NotificationType> {
      return send({ method: 'PUT', path: path`/v1/notification-types/${name}`, body: type, ...options })
    },

    async delete(name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/notification-types/${name}`, ...options })
    },
  }
}

export function createTopics(send: Send) {
  const watches = async (
    topic: string,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<Watch>> =>
    send({ method: 'GET', path: path`/v1/topics/${topic}/watches`, query: position, ...options })

  return {
    async watch(topic: string, watch: WatchInput, options?: CallOptions): Promise<Watch> {
      return send({ method: 'PUT', path: path`/v1/topics/${topic}/watch`, body: watch, ...options })
    },

    watches,

    allWatches(topic: string, position?: PagePosition, options?: CallOptions) {
      return everyRow<Watch>(next => watches(topic, next, options), position)
    },

    async unwatch(topic: string, userId: string, options?: CallOptions): Promise<void> {
      return send({
        method: 'DELETE',
        path: path`/v1/topics/${topic}/watch`,
        query: { user_id: userId },
        ...options,
      })
    },
  }
}
