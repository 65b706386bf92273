/** The SQL of the archive; what moves rows is in the rooms that own the tables. */
import type { Executor } from '../../platform/database/pool.ts'

/** Where a pass through a tenant's records has got to. */
export interface Position {
  time: Date
  id: string
}

export interface MovedBatch {
  looked_at: number
  records: number
  routes: number
  last_time: Date | null
  last_id: string | null
}

/** Tenants that keep records for longer than in the live tables. What is to be deleted is not moved before. */
export async function selectArchivingTenants(db: Executor): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select t.id from tenants t join tenant_retention k on k.tenant_id = t.id
     where k.record_hot_days < k.record_retention_days and t.deleting_since is null order by t.id`,
  )
  return rows.map(({ id }) => id)
}

export async function moveBatch(
  db: Executor,
  tenantId: string,
  after: Position | undefined,
  limits: { records: number; routes: number },
): Promise<MovedBatch> {
  const { rows } = await db.query<MovedBatch>(
    `select looked_at, records, routes, last_time, last_id
     from archive_records($1, coalesce($2::timestamptz, '-infinity'), $3, $4, $5)`,
    [
      tenantId,
      after?.time.toISOString() ?? null,
      after?.id ?? '00000000-0000-0000-0000-000000000000',
      limits.records,
      limits.routes,
    ],
  )
  return rows[0]!
}

/**
 * Months for everything that may be moved or came without one, and some ahead. Ids may be older than their records: events
 * are told later. None that would be dropped again at once.
 */
export async function createMonths(db: Executor): Promise<number> {
  const { rows } = await db.query<{ created: number }>(
    `select create_archive_months(
       greatest(least(live, archived, now())::date - 31, now()::date - retention_days),
       (now() + interval '3 months')::date
     ) as created
     from (
       select min(r.accepted_at) as live, min(archive_month(d.notification_id)) as archived,
         max(t.record_retention_days) as retention_days
       from tenant_retention t left join lateral (
         select x.accepted_at from records x where x.tenant_id = t.tenant_id order by x.accepted_at limit 1
       ) r on true left join lateral (
         select x.notification_id from records_archive_default x
         where x.tenant_id = t.tenant_id and x.notification_id >= archive_bound(now()::date - t.record_retention_days)
         order by x.notification_id limit 1
       ) d on true
     ) oldest`,
  )
  return rows[0]!.created
}

/** Months for records that are about to come from elsewhere, the first of which has this id. */
export async function createMonthsSince(db: Executor, id: string): Promise<void> {
  await db.query('select create_archive_months(archive_month($1::uuid), now()::date)', [id])
}

export async function selectMonthsThatAreOver(db: Executor): Promise<string[]> {
  const { rows } = await db.query<{ month: string }>(
    'select month::text from archive_months() where is_over order by month',
  )
  return rows.map(({ month }) => month)
}

/** Until the transaction ends; another process leaves the month to us. */
export async function lockMonth(tx: Executor, month: string): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended(format('archive %s', $1::text), 0)) as locked",
    [month],
  )
  return rows[0]!.locked
}

export async function dropMonth(tx: Executor, month: string): Promise<boolean> {
  const { rows } = await tx.query<{ dropped: boolean }>('select drop_archive_month($1::date) as dropped', [
    month,
  ])
  return rows[0]!.dropped
}

export const ARCHIVE_TABLES = ['records_archive', 'routes_archive', 'route_attempts_archive'] as const
export type ArchiveTable = (typeof ARCHIVE_TABLES)[number]

const ROWS_AT_ONCE = 2000

const KEYS: Record<ArchiveTable, string> = {
  records_archive: 'tenant_id, notification_id',
  routes_archive: 'tenant_id, notification_id, route_id',
  route_attempts_archive: 'tenant_id, notification_id, route_id, attempt_no',
}

/** Every row of a month as JSON text, in the order of the key. A cursor, so that no more than a portion of it is in memory. */
export async function* readMonth(tx: Executor, table: ArchiveTable, month: string): AsyncGenerator<string[]> {
  await tx.query(
    `declare of_month no scroll cursor for select row_to_json(t)::text as line from ${table} t
     where t.notification_id >= archive_bound('${month}'::date)
       and t.notification_id < archive_bound(('${month}'::date + interval '1 month')::date)
     order by ${KEYS[table]}`,
  )
  for (;;) {
    const { rows } = await tx.query<{ line: string }>(`fetch ${ROWS_AT_ONCE} from of_month`)
    if (rows.length === 0) break
    yield rows.map(({ line }) => line)
  }
  await tx.query('close of_month')
}

/** The keys of a month's records, a portion after the other. */
export async function selectKeysOfMonth(
  tx: Executor,
  month: string,
  after: { tenant_id: string; notification_id: string } | undefined,
): Promise<{ tenant_id: string; notification_id: string }[]> {
  const { rows } = await tx.query<{ tenant_id: string; notification_id: string }>(
    `select tenant_id, notification_id from records_archive
     where notification_id >= archive_bound($1::date) and notification_id < archive_bound(($1::date + interval '1 month')::date)
       and ($2::uuid is null or (tenant_id, notification_id) > ($2, $3::uuid))
     order by tenant_id, notification_id limit ${ROWS_AT_ONCE}`,
    [month, after?.tenant_id ?? null, after?.notification_id ?? null],
  )
  return rows
}
