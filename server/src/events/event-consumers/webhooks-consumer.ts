/** The consumer `webhooks`: tells endpoints that subscribe to `event.emitted` what happened in the application. */
import type { EventConsumer } from './consumer.ts'
import { emitToWebhooks, hasEventEndpoints } from './webhooks-queries.ts'

export function createWebhooksConsumer(onEmitted: () => void): EventConsumer {
  return {
    name: 'webhooks',
    /** Most tenants have no such endpoint: one question for all of their events. */
    async wanted(db, tenantId, events) {
      const hasAny = await hasEventEndpoints(db, tenantId)
      return new Set(hasAny ? events.map(event => event.event_id) : [])
    },
    async handle(tx, event) {
      await emitToWebhooks(tx, event)
      return undefined
    },
    onCommitted: onEmitted,
  }
}
