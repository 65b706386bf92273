/** The SQL of series. */
import type { Channel } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { COUNT_BY_STATUS } from './count-hours.ts'
import { bucketOf, deliveryMs } from './histogram.ts'

export interface StepRow {
  /** Counted from 1. */
  step: number
  sent: number
  failed: number
  pending: number
  skipped: number
  cancelled: number
  expired: number
  delivery_buckets: number[]
  delivery_counts: number[]
}

const COUNTS = ['sent', 'failed', 'pending', 'skipped', 'cancelled', 'expired']
const SUMS = COUNTS.map(name => `sum(${name})::float8 as ${name}`).join(', ')

/**
 * Days of UTC are stored, except for today's; other days are made of hours. What is stored of the current hour is left out,
 * since it is counted now.
 */
const STORED = {
  hours: 'm.hour is not null',
  days: `(m.hour is null and m.date < (now() at time zone 'UTC')::date
    or m.hour is not null and m.date >= (now() at time zone 'UTC')::date)`,
}

const THIS_HOUR = "date_trunc('hour', now(), 'UTC')"

/** Steps in which anything happened. Of an hour there are many rows, so they are summed before anything else is asked of it. */
export async function selectSteps(
  db: Executor,
  tenantId: string,
  query: {
    step: 'hour' | 'day'
    zone: string
    starts: Date[]
    end: Date
    provider?: string | undefined
    channel?: Channel | undefined
    notification_type?: string | undefined
  },
): Promise<StepRow[]> {
  const stored = `from notification_metrics m
    where m.tenant_id = $1 and m.date between ($3::timestamptz at time zone 'UTC')::date
      and ($4::timestamptz at time zone 'UTC')::date
      and ${query.step === 'day' && query.zone === 'UTC' ? STORED.days : STORED.hours}
      and ($5::text is null or m.provider = $5) and ($6::text is null or m.channel = $6)
      and ($7::text is null or m.notification_type = $7)`
  const { rows } = await db.query<StepRow>(
    `with stored_counts as materialized (
       select s.*, width_bucket(s.at, $2::timestamptz[]) as step from (
         select m.date, coalesce(m.hour, 0) as hour, (m.date + make_interval(hours => coalesce(m.hour, 0))) at time zone 'UTC' as at,
           ${SUMS} ${stored} group by m.date, m.hour offset 0
       ) s where s.at >= $3 and s.at < $4 and s.at < ${THIS_HOUR}
     ),
     stored_histograms as (
       select date, hour, bucket, sum(count)::float8 as count from (
         select m.date, coalesce(m.hour, 0) as hour, unnest(m.delivery_buckets) as bucket, unnest(m.delivery_counts) as count
         ${stored}
       ) sent group by date, hour, bucket
     ),
     current_routes as materialized (
       select o.status, o.sent_at, o.created_at, r.send_at, width_bucket(${THIS_HOUR}, $2::timestamptz[]) as step
       from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
       where $3 <= ${THIS_HOUR} and $4 > ${THIS_HOUR} and r.tenant_id = $1
         and r.accepted_at >= ${THIS_HOUR} and ($5::text is null or o.provider = $5)
         and ($6::text is null or o.channel = $6) and ($7::text is null or r.notification_type = $7)
     ),
     counts as (
       select step, ${COUNTS.join(', ')} from stored_counts
       union all
       select o.step, ${COUNT_BY_STATUS} from current_routes o group by o.step
     ),
     sent as (
       select c.step, h.bucket, h.count from stored_histograms h join stored_counts c using (date, hour)
       union all
       select o.step, ${bucketOf(deliveryMs('o'))}, 1 from current_routes o where o.sent_at is not null
     ),
     histograms as (
       select step, array_agg(bucket order by bucket) as delivery_buckets, array_agg(count order by bucket) as delivery_counts
       from (select step, bucket, sum(count) as count from sent group by step, bucket) by_step group by step
     )
     select c.*, coalesce(h.delivery_buckets, '{}') as delivery_buckets, coalesce(h.delivery_counts, '{}') as delivery_counts
     from (select step, ${SUMS} from counts group by step) c left join histograms h using (step)
     order by c.step`,
    [
      tenantId,
      query.starts,
      query.starts[0],
      query.end,
      query.provider ?? null,
      query.channel ?? null,
      query.notification_type ?? null,
    ],
  )
  return rows
}
