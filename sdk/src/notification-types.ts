/** The catalog of notification types. */
import type { NotificationType, NotificationTypeInput } from '@carillon/contract'
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

    async delete(name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/notification-types/${name}`, ...options })
    },
  }
}
