/** Whoever reads the log of events: in the role `fanout`, and in `dispatch` for dead letters that are replayed. */
import { createTriggersConsumer } from '../automation/triggers/event-consumer.ts'
import type { EventConsumer } from '../events/event-consumers/consumer.ts'
import { createWebhooksConsumer } from '../events/event-consumers/webhooks-consumer.ts'
import type { Shared } from './shared.ts'

export function createEventConsumers({ signals }: Shared): EventConsumer[] {
  return [createWebhooksConsumer(signals.onEmitted), createTriggersConsumer(signals.onEmitted)]
}
