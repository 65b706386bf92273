/** The catalog of notification types. */
import type { NotificationType, NotificationTypeChanges, NotificationTypeInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

export function createNotificationTypes(send: Send) {
  return {
    ...wholeList<NotificationType>(send, '/v1/notification-types'),

    async get(name: string, options?: CallOptions): Promise<NotificationType> {
      return send({ method: 'GET', path: path`/v1/notification-types/${name}`, ...options })
    },

    /** Creates the type, or replaces it entirely. */
    async put(name: string, type: NotificationTypeInput, options?: CallOptions): Promise<NotificationType> {
      return send({ method: 'PUT', path: path`/v1/notification-types/${name}`, body: type, ...options })
    },

    /** Changes only the fields that are given. */
    async update(
      name: string,
      changes: NotificationTypeChanges,
      options?: CallOptions,
    ): Promise<NotificationType> {
      return send({ method: 'PATCH', path: path`/v1/notification-types/${name}`, body: changes, ...options })
    },

    async delete(name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/notification-types/${name}`, ...options })
    },
  }
}
