/** Whoever reads the log of events: in the role `fanout`, and in `dispatch` for dead letters that are replayed. */
import { createTriggersConsumer } from '../automation/triggers/event-consumer.ts'
import type { EventConsumer } from '../events/event-consumers/consumer.ts'
import { traceConsumer } from '../events/event-consumers/traced-consumer.ts'
import { createWebhooksConsumer } from '../events/event-consumers/webhooks-consumer.ts'
import { createFanoutConsumer } from '../events/fanout/fanout.ts'
import { createVisibility } from '../inbox/visibility/visibility.ts'
import type { Shared } from './shared.ts'

export function createEventConsumers({ pool, keyring, http, signals, tracing }: Shared): EventConsumer[] {
  const visibility = createVisibility({ pool, keyring, http })
  const fanout = createFanoutConsumer({
    pool,
    visibility,
    onTold(tenantId, userIds) {
      signals.onDue()
      signals.onInbox(tenantId, userIds)
    },
  })
  return [
    fanout as EventConsumer,
    createWebhooksConsumer(signals.onEmitted),
    createTriggersConsumer(signals.onEmitted),
  ].map(consumer => traceConsumer(tracing, consumer))
}
