/** The SQL for reading metrics: the figures of hours and days, and the current state. */
import type { Channel, Metric } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { COUNT_BY_STATUS } from './count-hours.ts'

export type MetricRow = Omit<Metric, 'updated_at' | 'avg_delivery_ms'> & {
  /** A bigint, which the driver returns as text. */
  avg_delivery_ms: string | null
  updated_at: Date
}

const PERIOD = { hour: 'hour is not null', day: 'hour is null' } as const

/** Where a page ended. */
export interface MetricPosition {
  date: string
  hour: number
  provider: string
  channel: string
  notification_type: string
}

export async function selectMetrics(
  db: Executor,
  tenantId: string,
  query: {
    period: keyof typeof PERIOD
    from?: string | undefined
    to?: string | undefined
    provider?: string | undefined
    channel?: Channel | undefined
    notification_type?: string | undefined
    after: MetricPosition | undefined
    limit: number
  },
): Promise<MetricRow[]> {
  const { after } = query
  const { rows } = await db.query<MetricRow>(
    `select date::text as date, hour, provider, channel, notification_type, sent, failed, pending, skipped, cancelled, expired, avg_delivery_ms, updated_at
     from notification_metrics
     where tenant_id = $1 and ${PERIOD[query.period]} and ($2::date is null or date >= $2) and ($3::date is null or date <= $3)
       and ($4::text is null or provider = $4) and ($5::text is null or channel = $5)
       and ($6::text is null or notification_type = $6)
       and ($7::date is null or date < $7 or date = $7 and (coalesce(hour, 0) < $8
         or coalesce(hour, 0) = $8 and (provider, channel, notification_type) > ($9, $10, $11)))
     order by notification_metrics.date desc, hour desc, provider, channel, notification_type limit $12`,
    [
      tenantId,
      query.from ?? null,
      query.to ?? null,
      query.provider ?? null,
      query.channel ?? null,
      query.notification_type ?? null,
      after?.date ?? null,
      after?.hour ?? null,
      after?.provider ?? null,
      after?.channel ?? null,
      after?.notification_type ?? null,
      query.limit,
    ],
  )
  return rows
}

export interface HourRow {
  at: Date
  sent: number
  failed: number
  pending: number
  skipped: number
  cancelled: number
  expired: number
  counted_at: Date | null
}

/**
 * The last 24 hours, oldest first, including those in which nothing happened. The current hour is counted now, so that what
 * was just sent shows at once; the earlier ones are as they were last counted.
 */
export async function selectLastHours(db: Executor, tenantId: string): Promise<HourRow[]> {
  const { rows } = await db.query<HourRow>(
    `with earlier as (
       select h as at, sum(m.sent) as sent, sum(m.failed) as failed, sum(m.pending) as pending,
         sum(m.skipped) as skipped, sum(m.cancelled) as cancelled, sum(m.expired) as expired,
         max(m.updated_at) as counted_at
       from generate_series(
         date_trunc('hour', now()) - interval '23 hours', now() - interval '1 hour', interval '1 hour'
       ) h
       left join notification_metrics m
         on m.tenant_id = $1 and m.date = h::date and m.hour = extract(hour from h)::smallint
       group by h
     ),
     current as (
       select date_trunc('hour', now()) as at, ${COUNT_BY_STATUS}, null::timestamptz as counted_at
       from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
       where r.tenant_id = $1 and r.accepted_at >= date_trunc('hour', now())
     )
     select at, coalesce(sent, 0)::integer as sent, coalesce(failed, 0)::integer as failed,
       coalesce(pending, 0)::integer as pending, coalesce(skipped, 0)::integer as skipped,
       coalesce(cancelled, 0)::integer as cancelled, coalesce(expired, 0)::integer as expired, counted_at
     from (select * from earlier union all select * from current) hours order by at`,
    [tenantId],
  )
  return rows
}

export interface CountAndOldest {
  count: number
  oldest_at: Date | null
}

/**
 * Routes that are open for more than an hour after they were first due, counted up to 10,000: a higher number would say
 * nothing more. The condition on next_attempt_at selects the open routes, and pending ones are indexed only by it. Young
 * routes are left out by created_at first, because at peak times there are many, and their records need not be read then.
 */
export async function countStuckRoutes(db: Executor, tenantId: string): Promise<CountAndOldest> {
  const { rows } = await db.query<CountAndOldest>(
    `select count(*)::integer as count, min(due_at) as oldest_at from (
       select greatest(o.created_at, r.send_at) as due_at from routes o
       join records r on r.tenant_id = o.tenant_id and r.notification_id = o.notification_id
       where o.tenant_id = $1 and o.next_attempt_at is not null
         and o.created_at < now() - interval '1 hour'
         and greatest(o.created_at, r.send_at) < now() - interval '1 hour'
       limit 10000
     ) stuck`,
    [tenantId],
  )
  return rows[0]!
}

export async function countOpenLetters(db: Executor, tenantId: string): Promise<CountAndOldest> {
  const { rows } = await db.query<CountAndOldest>(
    `select count(*)::integer as count, min(created_at) as oldest_at from dead_letters
     where tenant_id = $1 and resolved_at is null`,
    [tenantId],
  )
  return rows[0]!
}

export interface ProviderRow {
  provider: string
  channel: Channel
  total: number
  sent: number
  failed: number
  avg_delivery_ms: number | null
}

/** What providers did with the notifications accepted within the last hour. */
export async function selectProviderPerformance(db: Executor, tenantId: string): Promise<ProviderRow[]> {
  const { rows } = await db.query<ProviderRow>(
    `select o.provider, o.channel, count(*)::integer as total, count(*) filter (where o.status = 'sent')::integer as sent,
       count(*) filter (where o.status = 'dead')::integer as failed,
       round(avg(extract(epoch from o.sent_at - greatest(o.created_at, r.send_at)) * 1000))::integer as avg_delivery_ms
     from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
     where r.tenant_id = $1 and r.accepted_at > now() - interval '1 hour' and o.provider <> ''
     group by o.provider, o.channel order by total desc, o.provider, o.channel`,
    [tenantId],
  )
  return rows
}
