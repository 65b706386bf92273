/** The SQL of streams. */
import type { Executor } from '../../platform/database/pool.ts'

export interface StreamRow {
  tenant_id: string
  name: string
  kind: 'redis' | 'nats'
  place: string
  group_name: string
  status: 'reading' | 'failing' | 'paused'
  paused_at: Date | null
  last_read_at: Date | null
  last_error: string
  /** Numbers of 64 bits come as text. */
  waiting: string | null
  oldest_at: Date | null
  created_at: Date
}

/** A stream that nobody could read for so long needs an operator; a restart or a failover takes less. */
const UNREAD = `greatest(last_read_at, expected_since) < now() - interval '1 minute'`

const STREAM = `tenant_id, name, kind, place, group_name,
  case when paused_at is not null then 'paused' when last_error <> '' or ${UNREAD} then 'failing' else 'reading' end as status,
  paused_at, last_read_at, last_error, waiting, oldest_at, created_at`

export async function selectStreams(
  db: Executor,
  tenantId: string,
  query: { after: (string | number)[] | undefined; limit: number },
): Promise<StreamRow[]> {
  const { rows } = await db.query<StreamRow>(
    `select ${STREAM} from streams where tenant_id = $1 and ($2::text is null or name > $2) order by name limit $3`,
    [tenantId, query.after?.[0] ?? null, query.limit],
  )
  return rows
}

export async function selectStream(
  db: Executor,
  tenantId: string,
  name: string,
): Promise<StreamRow | undefined> {
  const { rows } = await db.query<StreamRow>(
    `select ${STREAM} from streams where tenant_id = $1 and name = $2`,
    [tenantId, name],
  )
  return rows[0]
}

/** Pausing what is paused, or resuming what is not, changes nothing. */
export async function updatePause(
  db: Executor,
  tenantId: string,
  name: string,
  isPaused: boolean,
): Promise<void> {
  await db.query(
    `update streams set paused_at = case when $3 then now() end, updated_at = now(),
       expected_since = case when $3 then expected_since else now() end
     where tenant_id = $1 and name = $2 and (paused_at is not null) <> $3`,
    [tenantId, name, isPaused],
  )
}

export async function deleteStream(db: Executor, tenantId: string, name: string): Promise<void> {
  await db.query('delete from streams where tenant_id = $1 and name = $2', [tenantId, name])
}

export interface StreamReport {
  tenant_id: string
  name: string
  kind: 'redis' | 'nats'
  place: string
  group_name: string
  /** Since this process had an answer of the server; null: never. Seconds, because only the database's clock counts. */
  read_seconds_ago: number | null
  last_error: string
  waiting: number | null
  oldest_at: string | null
}

/** Stores what a process knows of the streams it reads, and says which of them it shall not read. */
export async function reportStreams(db: Executor, reports: StreamReport[]): Promise<void> {
  await db.query(
    `insert into streams (tenant_id, name, kind, place, group_name, last_read_at, last_error, waiting, oldest_at)
     select r.tenant_id, r.name, r.kind, r.place, r.group_name, now() - make_interval(secs => r.read_seconds_ago),
       r.last_error, r.waiting, r.oldest_at
     from jsonb_to_recordset($1::jsonb) as r (tenant_id uuid, name text, kind text, place text, group_name text,
       read_seconds_ago float8, last_error text, waiting bigint, oldest_at timestamptz)
     -- always in the same order: two processes that report the same streams wait for each other
     order by r.tenant_id, r.name
     on conflict (tenant_id, name) do update set kind = excluded.kind, place = excluded.place,
       group_name = excluded.group_name, last_read_at = greatest(streams.last_read_at, excluded.last_read_at),
       last_error = excluded.last_error, waiting = excluded.waiting, oldest_at = excluded.oldest_at,
       updated_at = now()`,
    [JSON.stringify(reports)],
  )
}

export async function selectPaused(
  db: Executor,
  streams: { tenant_id: string; name: string }[],
): Promise<{ tenant_id: string; name: string }[]> {
  const { rows } = await db.query<{ tenant_id: string; name: string }>(
    `select s.tenant_id, s.name from unnest($1::uuid[], $2::text[]) as r (tenant_id, name)
     join streams s on s.tenant_id = r.tenant_id and s.name = r.name
     where s.paused_at is not null`,
    [streams.map(({ tenant_id }) => tenant_id), streams.map(({ name }) => name)],
  )
  return rows
}

export interface ReadabilityRow {
  tenant_id: string
  name: string
  is_unreadable: boolean
  last_error: string
  since: Date
}

/** Marks the streams that nobody reads any more, and those that are read again; gives both. */
export async function markReadability(db: Executor): Promise<ReadabilityRow[]> {
  const { rows } = await db.query<ReadabilityRow>(
    `update streams set is_unreadable = not is_unreadable
     where is_unreadable <> (paused_at is null and ${UNREAD})
     returning tenant_id, name, is_unreadable, last_error, greatest(last_read_at, expected_since) as since`,
  )
  return rows
}
