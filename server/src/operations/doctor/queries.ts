/** The SQL of the doctor: what PostgreSQL tells about itself, and how the work is doing. */
import type { Executor } from '../../platform/database/pool.ts'

async function one<Row extends object>(db: Executor, text: string): Promise<Row> {
  const { rows } = await db.query<Row>(text)
  return rows[0]!
}

export interface ServerRow {
  version: string
  is_standby: boolean
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  autovacuum: string
  frozen_age: number
  connections: number
  max_connections: number
  sees_everybody: boolean
  size_bytes: number
}

/** Connections are counted for all roles; what they do is shown only to those who may see it. */
export const selectServer = (db: Executor) =>
  one<ServerRow>(
    db,
    `select current_setting('server_version') as version, pg_is_in_recovery() as is_standby,
       current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit, current_setting('autovacuum') as autovacuum,
       (select age(datfrozenxid) from pg_database where datname = current_database()) as frozen_age,
       (select count(*) from pg_stat_activity where backend_type = 'client backend')::integer as connections,
       current_setting('max_connections')::integer
         - current_setting('superuser_reserved_connections')::integer as max_connections,
       pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_everybody,
       pg_database_size(current_database())::float8 as size_bytes`,
  )

/** Milliseconds of the database's clock. */
export const selectClock = (db: Executor) =>
  one<{ at: number }>(db, 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at')

export interface HorizonRow {
  /** Of the transaction that is open longest, among those that this role may see. */
  transaction_seconds: number
  transaction: string | null
  prepared: number
  prepared_seconds: number
  idle_slots: string[] | null
  slot_bytes: number
}

export const selectHorizon = (db: Executor) =>
  one<HorizonRow>(
    db,
    `select coalesce(extract(epoch from now() - oldest.xact_start), 0)::float8 as transaction_seconds,
       format('%s as %s, %s', coalesce(nullif(oldest.application_name, ''), 'a session'), oldest.usename, oldest.state)
         as transaction,
       prepared.count as prepared, prepared.seconds as prepared_seconds, slots.idle as idle_slots, slots.bytes as slot_bytes
     from (select count(*)::integer as count, coalesce(extract(epoch from now() - min(x.prepared)), 0)::float8 as seconds
       from pg_prepared_xacts x where x.database = current_database()) prepared
     cross join (
       select array_agg(s.slot_name::text) filter (where not s.active) as idle,
         coalesce(max(case when pg_is_in_recovery() then 0
           else pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn) end), 0)::float8 as bytes
       from pg_replication_slots s) slots
     left join lateral (
       select a.xact_start, a.application_name, a.usename, a.state from pg_stat_activity a
       where a.datname = current_database() and a.pid <> pg_backend_pid() and a.xact_start is not null
       order by a.xact_start limit 1) oldest on true`,
  )

export interface TableRow {
  name: string
  dead: number
  live: number
  vacuumed_seconds: number | null
}

/** The tables with the most dead rows. */
export async function selectBloat(db: Executor): Promise<TableRow[]> {
  const { rows } = await db.query<TableRow>(
    `select relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live,
       extract(epoch from now() - greatest(last_autovacuum, last_vacuum))::float8 as vacuumed_seconds
     from pg_stat_user_tables where schemaname = 'carillon' order by n_dead_tup desc limit 20`,
  )
  return rows
}

export interface LeaseRow {
  owner: string
  rows: number
  /** Negative while it is held. */
  ended_seconds: number
}

/** Who holds leases: only open routes and rows of the outbox can have one, and no more than these are counted. */
export async function selectLeases(db: Executor): Promise<LeaseRow[]> {
  const { rows } = await db.query<LeaseRow>(
    `select l.lease_owner as owner, count(*)::integer as rows,
       extract(epoch from now() - max(l.lease_until))::float8 as ended_seconds
     from (
       (select lease_owner, lease_until from routes where next_attempt_at is not null and lease_owner is not null limit 10000)
       union all
       (select lease_owner, lease_until from outbox where lease_owner is not null limit 10000)
     ) l group by l.lease_owner order by 1 limit 100`,
  )
  return rows
}

export interface BacklogRow {
  routes_seconds: number
  outbox_seconds: number
  open_letters: number
  open_events: number
}

export const selectBacklog = (db: Executor) =>
  one<BacklogRow>(
    db,
    `select coalesce(extract(epoch from now() - (select min(next_attempt_at) from routes where next_attempt_at <= now()
         and (lease_until is null or lease_until <= now()))), 0)::float8 as routes_seconds,
       coalesce(extract(epoch from now() - (select min(next_attempt_at) from outbox where next_attempt_at <= now()
         and (lease_until is null or lease_until <= now()))), 0)::float8 as outbox_seconds,
       (select coalesce(sum(count), 0) from monitoring_dead_letters)::integer as open_letters,
       (select count(*) from (select from admin_system_events where severity in ('high', 'critical') and not is_resolved
         and created_at > now() - interval '7 days' limit 1000) e)::integer as open_events`,
  )

export async function selectZoneRules(db: Executor): Promise<{ tz_version: string; zones: number }[]> {
  const { rows } = await db.query<{ tz_version: string; zones: number }>(
    'select tz_version, count(*)::integer as zones from time_zones group by tz_version order by tz_version desc',
  )
  return rows
}
