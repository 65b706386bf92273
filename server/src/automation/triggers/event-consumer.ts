/** The consumer `triggers`: runs the scripts whose triggers listen to events of the application. */

import type { EventConsumer, LoggedEvent } from '../../events/event-consumers/consumer.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { fireEventTriggers, hasEventTriggers } from './event-queries.ts'

export function createTriggersConsumer(onFired: () => void): EventConsumer {
  return {
    name: 'triggers',
    /** Most tenants have no such trigger: one question for all of their events. */
    async wanted(db: Executor, tenantId: string, events: LoggedEvent[]) {
      const hasAny = await hasEventTriggers(db, tenantId)
      return new Set(hasAny ? events.map(event => event.event_id) : [])
    },
    async handle(tx: Client, event: LoggedEvent) {
      await fireEventTriggers(tx, event, dataOf(event))
      return undefined
    },
    onCommitted: onFired,
  }
}

/** What the script finds in `event.data`; the payload with every digit as it was sent. */
function dataOf(event: LoggedEvent): string {
  const data = {
    event_id: event.event_id,
    kind: event.kind,
    topic: event.topic,
    actor: event.actor_id,
    thread: event.thread_kind === null ? null : { kind: event.thread_kind, id: event.thread_id },
    source_kind: event.source_kind,
    source_id: event.source_id,
    relations: event.relations,
    occurred_at: event.occurred_at.toISOString(),
  }
  return `${JSON.stringify(data).slice(0, -1)},"payload":${event.payload_json}}`
}
