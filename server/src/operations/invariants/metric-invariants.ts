/** What must hold of the figures: an hour's are those of its records, and a day's the sum of its hours. */
import type { Walk } from './invariant.ts'

/** Within two days an hour is counted again every hour, so figures that stay wrong for longer are not just late. */
const RECOUNTED_SECONDS = 2 * 3600
/** Counting more would take one statement too long. */
const MOST_COUNTED = 200_000

const COUNTS = ['sent', 'failed', 'pending', 'skipped', 'cancelled', 'expired']
const figures = (of: string) =>
  `jsonb_build_object(${COUNTS.map(name => `'${name}', coalesce(${of.replace('?', name)}, 0)`).join(', ')})`
const STATUSES: Record<string, string> = {
  sent: `'sent'`,
  failed: `'dead'`,
  pending: `'pending', 'retrying'`,
  skipped: `'skipped'`,
  cancelled: `'cancelled'`,
  expired: `'expired'`,
}
const recounted = COUNTS.map(
  name => `'${name}', count(*) filter (where o.status in (${STATUSES[name]}))`,
).join(', ')

const hourOf = (alias: string) =>
  `${alias}.date = (x.at at time zone 'UTC')::date and ${alias}.hour = extract(hour from x.at at time zone 'UTC')::smallint`

/**
 * One counted hour after the other, tenant by tenant: those that have ended, and that the count still looks at. Figures of
 * others stay when retention deletes their records, the archive takes them, or a person leaves. The next one is looked up
 * from the tenant, so that neither old figures nor other tenants' are read.
 */
export const hourWalk: Walk = {
  name: 'counted hours',
  key: [
    ['tenant_id', 'uuid'],
    ['at', 'timestamptz'],
  ],
  portion: 1,
  rows: condition => `select x.tenant_id, x.at from (
      select t.tenant_id, h.at from tenant_retention t
      cross join lateral (
        select (m.date + make_interval(hours => m.hour)) at time zone 'UTC' as at from notification_metrics m
        where m.tenant_id = t.tenant_id and m.hour is not null and m.date >= ((now() - interval '2 days') at time zone 'UTC')::date
          and (m.date + make_interval(hours => m.hour)) at time zone 'UTC' < now() - interval '2 hours'
        group by m.date, m.hour
      ) h
      where h.at >= now() - least(interval '2 days', make_interval(days => t.record_retention_days))
    ) x ${condition === '' ? '' : `where ${condition}`}`,
  invariants: [
    {
      name: 'hour_equals_records',
      holds: 'The figures of an hour are those of its records.',
      advice:
        'Delete the rows of that hour from notification_metrics; it is counted anew. If it comes back, report it.',
      graceSeconds: RECOUNTED_SECONDS,
      from: `lateral (
        select ${figures('sum(m.?)')} as stored, sum(${COUNTS.map(name => `m.${name}`).join(' + ')}) as total,
          min(m.updated_at) as counted_at
        from notification_metrics m where m.tenant_id = x.tenant_id and ${hourOf('m')}
      ) m cross join lateral (
        select jsonb_build_object(${recounted}) as found, max(o.updated_at) as changed_at
        from records r join routes o on o.tenant_id = r.tenant_id and o.notification_id = r.notification_id
        where m.total <= ${MOST_COUNTED} and r.tenant_id = x.tenant_id
          and r.accepted_at >= x.at and r.accepted_at < x.at + interval '1 hour'
      ) o`,
      // What has changed since it was counted is counted again; what nobody has touched must be the same.
      broken: `m.total <= ${MOST_COUNTED} and m.stored <> o.found and coalesce(o.changed_at < m.counted_at, true)`,
      item: `to_char(x.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')`,
      since: 'm.counted_at',
      state: `m.stored::text || o.found::text`,
      details: `jsonb_build_object('stored', m.stored, 'found', o.found)`,
    },
    {
      name: 'day_equals_hours',
      holds: 'The figures of a day are the sum of those of its hours.',
      advice:
        'Delete the rows of that day with an empty hour from notification_metrics; the day is added up anew.',
      graceSeconds: RECOUNTED_SECONDS,
      from: `lateral (
        select ${figures('sum(m.?) filter (where m.hour is null)')} as stored,
          ${figures('sum(m.?) filter (where m.hour is not null)')} as found, max(m.updated_at) as counted_at
        from notification_metrics m where m.tenant_id = x.tenant_id and m.date = (x.at at time zone 'UTC')::date
      ) m`,
      broken: 'm.stored <> m.found',
      item: `((x.at at time zone 'UTC')::date)`,
      since: 'm.counted_at',
      state: `m.stored::text || m.found::text`,
      details: `jsonb_build_object('stored', m.stored, 'found', m.found)`,
    },
  ],
}
