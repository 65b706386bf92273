/** Notifications for everybody in the tenant. */
import type { NewNotification, Notification, NotificationQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createNotifications(send: Send) {
  return {
    ...pagedList<Notification, NotificationQuery>(send, '/v1/notifications'),

    /** Everybody sees it until it expires or is taken back, and reads it for themselves. */
    async create(notification: NewNotification, options?: CallOptions): Promise<Notification> {
      return send({ method: 'POST', path: '/v1/notifications', body: notification, ...options })
    },

    /** Takes it back from everybody. */
    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/notifications/${id}`, ...options })
    },
  }
}
