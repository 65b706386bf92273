/** The SQL of counting: which hours are to be counted, and what happened to their notifications. Hours and days are UTC. */
import type { Client, Executor } from '../../platform/database/pool.ts'
import { bucketOf, deliveryMs, HISTOGRAM } from './histogram.ts'

export async function selectTenantIds(db: Executor): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>('select id from tenants order by id')
  return rows.map(row => row.id)
}

export async function lockCounting(tx: Client, tenantId: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended(format('metrics %s', $1::text), 0)) as locked",
    [tenantId],
  )
  return rows[0]!.locked
}

/** A scalar subquery, because it uses the index; a join might read the whole table. */
const countedAt = (hour: string) => `coalesce((
  select max(m.updated_at) from notification_metrics m
  where m.tenant_id = $1 and m.date = (${hour})::date and m.hour = extract(hour from ${hour})::smallint
), '-infinity')`

/**
 * The next hours to count, oldest first: those since the last counted one; the one before this while some of its routes are
 * open; of the last two days, those that were last counted before they ended, or whose figures are older than a fifth of
 * the hour's age, because a transaction may commit late; and older ones, at most hourly, while
 * routes are open or have been replayed since. Never an hour whose records retention may have begun to delete.
 */
export async function selectHoursToCount(
  db: Executor,
  tenantId: string,
  after: Date | null,
  limit: number,
): Promise<Date[]> {
  const { rows } = await db.query<{ hour: Date }>(
    `with bounds as materialized (
       select date_trunc('hour', now()) as this_hour, date_trunc('hour', now() - interval '2 days') as recent,
         greatest(
           date_trunc('hour', now() - make_interval(days => t.record_retention_days)) + interval '1 hour',
           date_trunc('hour', oldest.accepted_at)
         ) as first,
         (select m.date + make_interval(hours => m.hour) from notification_metrics m
          where m.tenant_id = $1 and m.hour is not null order by m.date desc, m.hour desc limit 1) as last
       from tenant_retention t cross join lateral (
         select least(
           (select x.accepted_at from records x where x.tenant_id = t.tenant_id order by x.accepted_at limit 1),
           (select x.accepted_at from records_archive x where x.tenant_id = t.tenant_id order by x.accepted_at limit 1)
         ) as accepted_at
       ) oldest
       where t.tenant_id = $1 and oldest.accepted_at is not null
     ),
     due as (
       select h as hour from bounds b, generate_series(greatest(b.first, b.last), b.recent, interval '1 hour') h
       union
       select h from bounds b, generate_series(greatest(b.first, b.recent), b.this_hour, interval '1 hour') h
       where h = b.this_hour
         or ${countedAt('h')} < greatest(h + interval '1 hour', now() - least(interval '1 hour', (now() - h) / 5))
         or h = b.this_hour - interval '1 hour' and exists (
           select from notification_metrics m
           where m.tenant_id = $1 and m.date = h::date and m.hour = extract(hour from h)::smallint and m.pending > 0
         )
       union
       select m.date + make_interval(hours => m.hour) from notification_metrics m
       where m.tenant_id = $1 and m.hour is not null and m.pending > 0 and m.updated_at < now() - interval '1 hour'
       union
       select r.hour from dead_letters d
       cross join lateral (
         select date_trunc('hour', x.accepted_at) as hour from records x
         where x.tenant_id = $1 and x.notification_id = d.notification_id
         union all
         select date_trunc('hour', x.accepted_at) from records_archive x
         where x.tenant_id = $1 and x.notification_id = d.notification_id
       ) r
       where d.tenant_id = $1 and d.resolution = 'replayed' and d.resolved_at > now() - interval '7 days'
         and ${countedAt('r.hour')} < d.resolved_at
     )
     select d.hour from due d, bounds b where d.hour >= b.first and ($2::timestamptz is null or d.hour > $2)
     order by d.hour limit $3`,
    [tenantId, after, limit],
  )
  return rows.map(row => row.hour)
}

/** Counts of routes `o` by status. */
export const COUNT_BY_STATUS = `count(*) filter (where o.status = 'sent') as sent,
  count(*) filter (where o.status = 'dead') as failed,
  count(*) filter (where o.status in ('pending', 'retrying')) as pending,
  count(*) filter (where o.status = 'skipped') as skipped,
  count(*) filter (where o.status = 'cancelled') as cancelled,
  count(*) filter (where o.status = 'expired') as expired`

const COUNTS = ['sent', 'failed', 'pending', 'skipped', 'cancelled', 'expired', 'delivery_ms_total'] as const
const KEY = 'provider, channel, notification_type'
const SAME_KEY =
  'n.provider = m.provider and n.channel = m.channel and n.notification_type = m.notification_type'
const UPDATE_ON_CONFLICT = `on conflict (tenant_id, date, hour, provider, channel, notification_type) do update set
  ${[...COUNTS, ...HISTOGRAM].map(name => `${name} = excluded.${name}`).join(', ')}, updated_at = now()`

const routesOfHours = (records: string, routes: string) => `
  select w.date, w.hour, o.provider, o.channel, r.notification_type, o.status, o.sent_at, o.created_at, r.send_at
  from wanted w
  join ${records} r on r.tenant_id = $1 and r.accepted_at >= w.start and r.accepted_at < w.start + interval '1 hour'
  join ${routes} o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id`

/** By the hour in which the intent was accepted; rows for which nothing is left to count are deleted. */
export async function countHours(tx: Client, tenantId: string, hours: Date[]): Promise<void> {
  await tx.query(
    `with wanted as (
       select h as start, h::date as date, extract(hour from h)::smallint as hour from unnest($2::timestamptz[]) h
     ),
     routes_of_hours as (
       ${routesOfHours('records', 'routes')} union all ${routesOfHours('records_archive', 'routes_archive')}
     ),
     counted as materialized (
       select o.date, o.hour, o.provider, o.channel, o.notification_type,
         ${COUNT_BY_STATUS},
         coalesce(sum(${deliveryMs('o')}), 0) as delivery_ms_total
       from routes_of_hours o
       group by o.date, o.hour, o.provider, o.channel, o.notification_type
     ),
     histograms as materialized (
       select date, hour, ${KEY}, array_agg(bucket order by bucket) as delivery_buckets,
         array_agg(count order by bucket) as delivery_counts
       from (
         select o.date, o.hour, o.provider, o.channel, o.notification_type, ${bucketOf(deliveryMs('o'))} as bucket,
           count(*)::integer as count
         from routes_of_hours o where o.sent_at is not null group by 1, 2, 3, 4, 5, 6
       ) sent group by date, hour, ${KEY}
     ),
     deleted as (
       delete from notification_metrics m using wanted w
       where m.tenant_id = $1 and m.date = w.date and m.hour = w.hour and not exists (
         select from counted n where n.date = m.date and n.hour = m.hour and ${SAME_KEY}
       )
     )
     insert into notification_metrics (tenant_id, date, hour, ${KEY}, ${COUNTS.join(', ')}, ${HISTOGRAM.join(', ')})
     select $1, date, hour, ${KEY}, ${COUNTS.join(', ')}, coalesce(delivery_buckets, '{}'), coalesce(delivery_counts, '{}')
     from counted left join histograms using (date, hour, ${KEY}) ${UPDATE_ON_CONFLICT}`,
    [tenantId, hours],
  )
}

/** Each day of these hours becomes the sum of all its hours. */
export async function countDays(tx: Client, tenantId: string, hours: Date[]): Promise<void> {
  await tx.query(
    `with wanted as (select distinct h::date as date from unnest($2::timestamptz[]) h),
     hours as materialized (
       select m.* from wanted w join notification_metrics m on m.tenant_id = $1 and m.date = w.date and m.hour is not null
     ),
     summed as materialized (
       select m.date, ${KEY}, ${COUNTS.map(name => `sum(m.${name}) as ${name}`).join(', ')}
       from hours m group by m.date, ${KEY}
     ),
     histograms as materialized (
       select date, ${KEY}, array_agg(bucket order by bucket) as delivery_buckets,
         array_agg(count order by bucket) as delivery_counts
       from (
         select m.date, ${KEY}, h.bucket, sum(h.count)::integer as count
         from hours m cross join lateral unnest(m.delivery_buckets, m.delivery_counts) as h (bucket, count)
         group by m.date, ${KEY}, h.bucket
       ) sent group by date, ${KEY}
     ),
     deleted as (
       delete from notification_metrics m using wanted w
       where m.tenant_id = $1 and m.date = w.date and m.hour is null and not exists (
         select from summed n where n.date = m.date and ${SAME_KEY}
       )
     )
     insert into notification_metrics (tenant_id, date, hour, ${KEY}, ${COUNTS.join(', ')}, ${HISTOGRAM.join(', ')})
     select $1, date, null, ${KEY}, ${COUNTS.join(', ')}, coalesce(delivery_buckets, '{}'), coalesce(delivery_counts, '{}')
     from summed left join histograms using (date, ${KEY}) ${UPDATE_ON_CONFLICT}`,
    [tenantId, hours],
  )
}
