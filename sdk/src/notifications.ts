/** Notifications for everybody in the tenant. */
import type { NewNotification, Notification, NotificationQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createNotifications(send: Send) {
  return {
    ...pagedList<Notification, NotificationQuery>(send, '/v1/notifications'),

    /**
     * Everybody sees it until it expires or is taken back, and reads it for themselves. The request is repeated when the
     * connection fails; one without a key gets a random one, so that a repeat can never be a second row.
     */
    async create(
      notification: NewNotification,
      { idempotencyKey, ...options }: CallOptions & { idempotencyKey?: string } = {},
    ): Promise<Notification> {
      const idempotency_key = idempotencyKey ?? notification.idempotency_key ?? crypto.randomUUID()
      const body = { ...notification, idempotency_key }
      return send({ method: 'POST', path: '/v1/notifications', body, repeatable: true, ...options })
    },

    /** Takes it back from everybody. */
    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/notifications/${id}`, ...options })
    },
  }
}
