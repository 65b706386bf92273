/**
 * The places of daily caps: a counter per person, channel and local day, raised only while it is below the cap. One
 * statement for all that ask at once, so neither two workers nor two routes of one batch can get the same place.
 */
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'

/** What a cap needs to know of a claimed route. */
export interface CountedRoute {
  tenant_id: string
  notification_id: string
  route_id: string
  claim_count: number
  user_id: string | null
  channel: string
}

/** Whether one of the places that a cap leaves on a day could be taken. */
export type TakePlace = (route: CountedRoute, day: string, cap: number) => Promise<boolean>

export interface PlaceAsked {
  route: CountedRoute
  day: string
  cap: number
}

/**
 * The row's lock makes others wait and then see the new count. Everybody locks in one order, so nobody waits in a
 * circle.
 *
 * When places run short the route is marked with the day in the same commit: should its worker die, the place is the
 * route's, and whoever takes it over need not find another. While many are left it just takes another; marking all
 * made taking twice as expensive.
 *
 * The commit need not wait for the disk: what it counts is of use only once the message is sent and completed, and that
 * commit comes later in the same log.
 */
const SHORT = 10

const TAKE = `
  with asked as materialized (
    select a.*, row_number() over (partition by a.tenant_id, a.user_id, a.channel, a.day order by a.ord) as place
    from set_config('synchronous_commit', 'off', true), unnest($2::uuid[], $3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::date[], $9::integer[])
      with ordinality as a (tenant_id, notification_id, route_id, claim_count, user_id, channel, day, cap, ord)
  ),
  taken as (
    insert into daily_sends as s (tenant_id, user_id, channel, day, used, cap, granted)
    select tenant_id, user_id, channel, day, least(count(*), min(cap)), min(cap), least(count(*), min(cap)) from asked
    group by tenant_id, user_id, channel, day order by tenant_id, user_id, channel, day
    on conflict (tenant_id, user_id, channel, day) do update set
      cap = excluded.cap,
      granted = greatest(0, least(excluded.granted, excluded.cap - s.used)),
      used = s.used + greatest(0, least(excluded.granted, excluded.cap - s.used))
    returning tenant_id, user_id, channel, day, granted, cap - used < ${SHORT} as is_short
  ),
  placed as materialized (
    select a.*, t.is_short from asked a join taken t using (tenant_id, user_id, channel, day)
    where a.place <= t.granted
  ),
  marked as materialized (
    select mark_counted($1, array_agg(tenant_id), array_agg(notification_id), array_agg(route_id),
      array_agg(claim_count), array_agg(day))
    from placed where is_short
  )
  select ord::integer as ord from placed cross join marked`

/** Answers for each whether it got its place. */
export async function takePlaces(db: Pool | Client, owner: string, asked: PlaceAsked[]): Promise<boolean[]> {
  const { rows } = await db.query<{ ord: number }>({
    name: 'take_places',
    text: TAKE,
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
  const placed = new Set(rows.map(row => row.ord))
  return asked.map((_, i) => placed.has(i + 1))
}

export function createPlaceTaker(db: Pool | Client, owner: string): TakePlace {
  const batcher = createBatcher<PlaceAsked, boolean>({
    flush: asked => takePlaces(db, owner, asked),
    maxBatch: 500,
  })
  return (route, day, cap) => batcher.add({ route, day, cap })
}
