/** Calls that write events, and move those who read them. */
import type { TestCarillon } from '../carillon.ts'
import { emit, orderAll } from '../events.ts'
import type { Calls } from './call.ts'

export function eventCalls(carillon: TestCarillon): Calls {
  return {
    'POST /v1/events': () => ({ path: '/v1/events', options: { body: { kind: 'issue_opened' } } }),
    'POST /v1/events/batch': () => ({
      path: '/v1/events/batch',
      options: { body: { events: [{ kind: 'issue_opened' }, {}] } },
    }),
    'POST /v1/events/simulate': () => ({
      path: '/v1/events/simulate',
      options: { body: { kind: 'issue_opened' } },
    }),
    'POST /v1/event-consumers/{name}/reset': async () => {
      await emit(carillon.pool)
      await orderAll(carillon.pool)
      return {
        path: '/v1/event-consumers/triggers/reset',
        options: { body: { to_event_id: 1 } },
        row: () => ['reset', 'event_consumer', 'triggers'],
      }
    },
  }
}
