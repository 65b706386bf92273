/** Whoever reads the log of events: in the role `fanout`, and in `dispatch` for dead letters that are replayed. */
import type { EventConsumer } from '../events/event-consumers/consumer.ts'
import type { Shared } from './shared.ts'

export function createEventConsumers(_shared: Shared): EventConsumer[] {
  return []
}
