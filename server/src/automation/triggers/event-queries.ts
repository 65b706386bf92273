/** The SQL of triggers that listen to events of the application. */

import type { LoggedEvent } from '../../events/event-consumers/consumer.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { withActiveTrace } from '../../platform/tracing/active-span.ts'

export async function hasEventTriggers(db: Executor, tenantId: string): Promise<boolean> {
  const { rows } = await db.query<{ has: boolean }>(
    `select exists (select from triggers where tenant_id = $1 and kind = 'event' and is_enabled) as has`,
    [tenantId],
  )
  return rows[0]!.has
}

/** Returns how many scripts are to run. */
export async function fireEventTriggers(tx: Client, event: LoggedEvent, data: string): Promise<number> {
  const { rows } = await tx.query<{ fired: number }>(
    'select fire_event_triggers($1, $2, $3, $4, $5, $6) as fired',
    [
      event.tenant_id,
      event.event_id,
      JSON.stringify(withActiveTrace({ kind: event.kind, topic: event.topic })),
      data,
      event.trigger_depth,
      event.actor_id === null ? `producer:${event.producer}` : `user:${event.actor_id}`,
    ],
  )
  return rows[0]!.fired
}
