/**
 * Daily caps: a counter of sends per person, channel and local day, which goes up only while it is below the cap. One
 * statement counts all sends of a batch, so neither two workers nor two routes of one batch can both be the last
 * allowed.
 */
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'

/** What a cap needs to know about a claimed route. */
export interface CountedRoute {
  tenant_id: string
  notification_id: string
  route_id: string
  claim_count: number
  user_id: string | null
  channel: string
}

/** Counts a send before it happens; false if the day's cap is used up. */
export type CountSend = (route: CountedRoute, day: string, cap: number) => Promise<boolean>

export interface SendToCount {
  route: CountedRoute
  day: string
  cap: number
}

/** With fewer sends left than this, each counted send is marked on its route. */
const NEARLY_USED_UP = 10

/**
 * The row's lock makes others wait and then see the new count. Everybody locks in the same order, so there are no
 * deadlocks.
 *
 * When a cap is nearly used up, the route is marked with the day in the same commit: if its worker dies, the send is
 * still counted for the route, and whoever takes the route over need not count it again. Before that, it is simply
 * counted again; marking every route made counting twice as expensive.
 *
 * The commit need not wait for the disk: the count matters only once the message is sent and completed, and that commit
 * comes later in the same log.
 */
const COUNT_SENDS = `
  with asked as materialized (
    select a.*, row_number() over (partition by a.tenant_id, a.user_id, a.channel, a.day order by a.ord) as nth
    from set_config('synchronous_commit', 'off', true), unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::date[], $9::integer[])
      with ordinality as a (tenant_id, notification_id, route_id, claim_count, user_id, channel, day, cap, ord)
  ),
  counted as (
    insert into daily_sends as s (tenant_id, user_id, channel, day, used, cap, granted)
    select tenant_id, user_id, channel, day, least(count(*), min(cap)), min(cap), least(count(*), min(cap)) from asked
    group by tenant_id, user_id, channel, day order by tenant_id, user_id, channel, day
    on conflict (tenant_id, user_id, channel, day) do update set
      cap = excluded.cap,
      granted = greatest(0, least(excluded.granted, excluded.cap - s.used)),
      used = s.used + greatest(0, least(excluded.granted, excluded.cap - s.used))
    returning tenant_id, user_id, channel, day, granted, cap - used < ${NEARLY_USED_UP} as is_nearly_used_up
  ),
  allowed as materialized (
    select a.*, c.is_nearly_used_up from asked a join counted c using (tenant_id, user_id, channel, day)
    where a.nth <= c.granted
  ),
  marked as materialized (
    select mark_counted($1, array_agg(tenant_id), array_agg(notification_id), array_agg(route_id),
      array_agg(claim_count), array_agg(day))
    from allowed where is_nearly_used_up
  )
  select ord::integer as ord from allowed cross join marked`

/** Returns for each send whether the cap allows it. */
export async function countSends(db: Pool | Client, owner: string, asked: SendToCount[]): Promise<boolean[]> {
  const { rows } = await db.query<{ ord: number }>({
    name: 'count_sends',
    text: COUNT_SENDS,
    values: [
      owner,
      asked.map(({ route }) => route.tenant_id),
      asked.map(({ route }) => route.notification_id),
      asked.map(({ route }) => route.route_id),
      asked.map(({ route }) => route.claim_count),
      asked.map(({ route }) => route.user_id),
      asked.map(({ route }) => route.channel),
      asked.map(({ day }) => day),
      asked.map(({ cap }) => cap),
    ],
  })
  const allowed = new Set(rows.map(row => row.ord))
  return asked.map((_, i) => allowed.has(i + 1))
}

export function createSendCounter(db: Pool | Client, owner: string): CountSend {
  const batcher = createBatcher<SendToCount, boolean>({
    flush: asked => countSends(db, owner, asked),
    maxBatch: 500,
  })
  return (route, day, cap) => batcher.add({ route, day, cap })
}
