/** The SQL for reading metrics: the figures of hours and days, and the current state, which is that of the views. */
import { CHANNELS, type Channel, type Metric } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'

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

/** The last 24 hours, oldest first, including those in which nothing happened. */
export async function selectLastHours(db: Executor, tenantId: string): Promise<HourRow[]> {
  const { rows } = await db.query<HourRow>(
    `select at, sent, failed, pending, skipped, cancelled, expired, counted_at from monitoring_hours
     where tenant_id = $1 order by at`,
    [tenantId],
  )
  return rows
}

export interface CountAndOldest {
  count: number
  oldest_at: Date | null
}

/** Counted up to 10,000: a higher number would say nothing more. */
export async function countStuckRoutes(db: Executor, tenantId: string): Promise<CountAndOldest> {
  const { rows } = await db.query<CountAndOldest>(
    `select count(*)::integer as count, min(due_at) as oldest_at
     from (select due_at from monitoring_stuck where tenant_id = $1 limit 10000) stuck`,
    [tenantId],
  )
  return rows[0]!
}

/** Lane by lane, since that is the order of the index; counted up to 10,000, as more would say nothing more. */
export async function countDueRoutes(db: Executor, tenantId: string): Promise<CountAndOldest> {
  const { rows } = await db.query<CountAndOldest>(
    `select count(*)::integer as count, min(next_attempt_at) as oldest_at from (
       select o.next_attempt_at
       from unnest($2::text[]) as c (channel) cross join generate_series(0, 2) as p (priority)
       cross join lateral (
         select next_attempt_at from routes
         where tenant_id = $1 and channel = c.channel and priority = p.priority and next_attempt_at <= now()
         order by next_attempt_at limit 10000
       ) o order by o.next_attempt_at limit 10000
     ) due`,
    [tenantId, CHANNELS],
  )
  return rows[0]!
}

export async function countOpenLetters(db: Executor, tenantId: string): Promise<CountAndOldest> {
  const { rows } = await db.query<CountAndOldest>(
    'select count::integer as count, oldest_at from monitoring_dead_letters where tenant_id = $1',
    [tenantId],
  )
  return rows[0] ?? { count: 0, oldest_at: null }
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
    `select provider, channel, total, sent, failed, avg_delivery_ms from monitoring_providers_1h
     where tenant_id = $1 order by total desc, provider, channel`,
    [tenantId],
  )
  return rows
}
