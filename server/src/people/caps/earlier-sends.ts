/** What was sent in a period before a cap on it was set. */
import type { Channel } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import type { CountedPeriod } from './count-capped-sends.ts'

export interface EarlierPeriod extends CountedPeriod {
  channel: Channel
  start: Date
}

/** Neither critical messages nor those of required categories count. */
const SENT_SINCE = `routes r on r.tenant_id = $1 and r.user_id = $2 and r.channel = d.channel and r.sent_at >= d.start
     join records rec on rec.tenant_id = r.tenant_id and rec.notification_id = r.notification_id
     left join notification_types y on y.tenant_id = rec.tenant_id and y.name = rec.notification_type
     left join categories k on k.tenant_id = y.tenant_id and k.category = y.category
     where y.critical is not true and k.required is not true`

/** Of days as a whole. One that already has a count never gets a lower one. */
export async function upsertEarlierSends(
  db: Executor,
  tenantId: string,
  userId: string,
  days: Pick<EarlierPeriod, 'channel' | 'period' | 'start'>[],
): Promise<void> {
  await db.query(
    `insert into daily_sends as s (tenant_id, user_id, channel, day, used, cap, granted)
     select $1, $2, d.channel, d.day, count(*), 0, 0
     from unnest($3::text[], $4::date[], $5::timestamptz[]) as d (channel, day, start)
     join ${SENT_SINCE}
     group by d.channel, d.day order by d.channel
     on conflict (tenant_id, user_id, channel, day) do update set used = greatest(s.used, excluded.used)`,
    [
      tenantId,
      userId,
      days.map(({ channel }) => channel),
      days.map(({ period }) => period),
      days.map(({ start }) => start),
    ],
  )
}

/** Of all other periods. */
export async function upsertEarlierCapped(
  db: Executor,
  tenantId: string,
  userId: string,
  periods: EarlierPeriod[],
): Promise<void> {
  await db.query(
    `insert into capped_sends as s (tenant_id, user_id, channel, category, per, period, used)
     select $1, $2, d.channel, d.category, d.per, d.period, count(*)
     from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
       as d (channel, category, per, period, start)
     join ${SENT_SINCE} and (d.category = '' or y.category = d.category)
     group by 3, 4, 5, 6 order by 3, 4, 5, 6
     on conflict (tenant_id, user_id, channel, category, per, period) do update
     set used = greatest(s.used, excluded.used)`,
    [
      tenantId,
      userId,
      periods.map(({ channel }) => channel),
      periods.map(({ category }) => category),
      periods.map(({ per }) => per),
      periods.map(({ period }) => period),
      periods.map(({ start }) => start),
    ],
  )
}
