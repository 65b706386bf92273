/** Fan-out for tests: events in, inbox rows and mails out, without workers. */

import type { EventConsumer } from '../src/events/event-consumers/consumer.ts'
import { createFanoutConsumer, type FanoutOptions } from '../src/events/fanout/fanout.ts'
import type { Visibility } from '../src/inbox/visibility/visibility.ts'
import type { Pool } from '../src/platform/database/pool.ts'
import { drainAll, emit } from './events.ts'

/** Of a tenant that does not want to be asked. */
const UNASKED: Visibility = { isAsked: async () => false, ask: async (_tenant, { user_ids }) => user_ids }

interface Tenanted {
  readonly pool: Pool
  readonly tenantId: string
}

export function aFanout(pool: Pool, options: Partial<FanoutOptions> = {}): EventConsumer {
  return createFanoutConsumer({ pool, visibility: UNASKED, onTold: () => {}, ...options }) as EventConsumer
}

/** Writes the events and fans out everything that the tenant's log has; throws if one of them failed. */
export async function tell(carillon: Tenanted, ...events: object[]): Promise<string[]> {
  const ids = []
  for (const event of events) ids.push(await emit(carillon.pool, event))
  await fanOut(carillon)
  return ids
}

export async function fanOut({ pool, tenantId }: Tenanted, consumer = aFanout(pool)): Promise<void> {
  const end = await drainAll(pool, consumer, tenantId)
  if (end !== 'end') {
    const { rows } = await pool.query('select last_error from domain_events_processed where tries > 0')
    throw new Error(`fan-out ended with ${end}: ${rows[0]?.last_error}`)
  }
}

export interface Told {
  user: string
  reason: string
  channels: string[]
}

/** Who was told of an event, why and on which channels, by user. */
export async function toldOf({ pool }: Tenanted, eventId: string): Promise<Told[]> {
  const { rows } = await pool.query<Told>(
    `select t."user", min(t.reason) as reason, array_agg(t.channel order by t.channel) as channels from (
       select n.user_id as "user", n.reason, 'in_app' as channel from domain_events e
       join notifications n on n.tenant_id = e.tenant_id and n.source_event_id = e.id where e.event_id = $1
       union all
       select r.user_id, rec.reason, r.channel from records rec
       join routes r on r.tenant_id = rec.tenant_id and r.notification_id = rec.notification_id
       where rec.event_id = $1
     ) t group by t."user" order by t."user"`,
    [eventId],
  )
  return rows
}

/** The same as short texts: `ada mention in_app,email`. */
export async function tellingOf(carillon: Tenanted, eventId: string): Promise<string[]> {
  const short = (channels: string[]) => [...channels].sort((a, b) => (a < b ? 1 : -1)).join('+')
  return (await toldOf(carillon, eventId)).map(
    ({ user, reason, channels }) => `${user} ${reason} ${short(channels)}`,
  )
}
