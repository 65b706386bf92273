/** The SQL of KV entries. What has expired is in no answer, from the moment it does; retention deletes it later. */
import type { KvCollection } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

export interface EntryKey {
  collection: string
  key: string
}

export interface EntryRow extends EntryKey {
  /** JSON text, as received. */
  value_json: string
  bytes: number
  version: number
  expires_at: Date | null
  created_at: Date
  updated_at: Date
}

/** A change, and how many triggers it fired. */
export interface Written {
  entry: EntryRow
  fired: number
}

/** Why triggers fire: how many dispatches led to it, and who caused it. */
export interface Cause {
  depth: number
  origin: string
}

const IS_LIVE = '(expires_at is null or expires_at > now())'
const SUMMARY = `collection, key, octet_length(value_json) as bytes, version::float8 as version, expires_at, created_at,
  updated_at`
const ENTRY = `${SUMMARY}, value_json`

export async function selectEntry(
  db: Executor,
  tenantId: string,
  { collection, key }: EntryKey,
): Promise<EntryRow | undefined> {
  const { rows } = await db.query<EntryRow>(
    `select ${ENTRY} from kv_entries where tenant_id = $1 and collection = $2 and key = $3 and ${IS_LIVE}`,
    [tenantId, collection, key],
  )
  return rows[0]
}

/** By key. */
export async function selectEntries(
  db: Executor,
  tenantId: string,
  collection: string,
  page: { prefix: string; afterKey: string; limit: number },
): Promise<Omit<EntryRow, 'value_json'>[]> {
  const { rows } = await db.query<Omit<EntryRow, 'value_json'>>(
    `select ${SUMMARY} from kv_entries
     where tenant_id = $1 and collection = $2 and key ^@ $3 and key > $4 and ${IS_LIVE} order by key limit $5`,
    [tenantId, collection, page.prefix, page.afterKey, page.limit],
  )
  return rows
}

/** By name, jumping in the index from one to the next; of each, at most `counted` entries are looked at. */
export async function selectCollections(
  db: Executor,
  tenantId: string,
  page: { after: string; limit: number; counted: number },
): Promise<KvCollection[]> {
  const { rows } = await db.query<KvCollection>(
    `with recursive found (collection, place) as (
       (select collection, 1 from kv_entries where tenant_id = $1 and collection > $2 and ${IS_LIVE}
        order by collection limit 1)
       union all
       select following.collection, found.place + 1 from found cross join lateral (
         select e.collection from kv_entries e where e.tenant_id = $1 and e.collection > found.collection and ${IS_LIVE}
         order by e.collection limit 1
       ) following where found.place < $3
     )
     select found.collection, (
       select count(*)::integer from (
         select from kv_entries e where e.tenant_id = $1 and e.collection = found.collection and ${IS_LIVE} limit $4
       ) counted
     ) as entries
     from found order by found.place`,
    [tenantId, page.after, page.limit, page.counted],
  )
  return rows
}

/**
 * Allows one change of each key at a time, whether or not there is an entry: a row that does not exist cannot be locked.
 * All in the same order, so that nobody waits for each other.
 */
export async function lockKeys(tx: Client, tenantId: string, keys: EntryKey[]): Promise<void> {
  await tx.query(
    `select pg_advisory_xact_lock(lock) from (
       select distinct hashtextextended(format('kv %s %s %s', $1::text, collection, key), 0) as lock
       from unnest($2::text[], $3::text[]) as given (collection, key) order by lock
     ) ordered`,
    [tenantId, keys.map(({ collection }) => collection), keys.map(({ key }) => key)],
  )
}

/** In the order of the keys; 0 where there is no entry. */
export async function selectVersions(db: Executor, tenantId: string, keys: EntryKey[]): Promise<number[]> {
  const { rows } = await db.query<{ version: number }>(
    `select coalesce(e.version, 0)::float8 as version
     from unnest($2::text[], $3::text[]) with ordinality as given (collection, key, place)
     left join kv_entries e on e.tenant_id = $1 and e.collection = given.collection and e.key = given.key and ${IS_LIVE}
     order by given.place`,
    [tenantId, keys.map(({ collection }) => collection), keys.map(({ key }) => key)],
  )
  return rows.map(row => row.version)
}

export async function isStorageFull(db: Executor, tenantId: string): Promise<boolean> {
  const { rows } = await db.query<{ is_full: boolean | null }>(
    'select storage_bytes > quota_storage_mb * 1000000::bigint as is_full from tenants where id = $1',
    [tenantId],
  )
  return rows[0]?.is_full ?? false
}

/** Fires the triggers of a change: `value` and the others are what the event says of it. */
function fire(op: string, event: { value: string; version: string; oldValue: string; oldVersion: string }) {
  return `fire_triggers($1, 'kv', jsonb_build_object('collection', $2::text, 'op', ${op}), ${op},
    format('{"collection":%s,"key":%s,"value":%s,"version":%s,"old_value":%s,"old_version":%s}', to_json($2::text),
      to_json($3::text), ${event.value}, ${event.version}, ${event.oldValue}, ${event.oldVersion}),
    $4::jsonb) as fired`
}

/** The caller holds the lock of the key. */
export async function writeEntry(
  tx: Client,
  tenantId: string,
  entry: EntryKey & { value_json: string; ttl_seconds: number | null },
  cause: Cause,
): Promise<Written> {
  const { rows } = await tx.query<EntryRow & { fired: number }>(
    `with old as (
       select value_json, version from kv_entries where tenant_id = $1 and collection = $2 and key = $3 and ${IS_LIVE}
     ),
     written as (
       insert into kv_entries as e (tenant_id, collection, key, value_json, expires_at)
       values ($1, $2, $3, $5, now() + make_interval(secs => $6))
       on conflict (tenant_id, collection, key) do update set
         value_json = excluded.value_json, version = excluded.version, expires_at = excluded.expires_at,
         updated_at = excluded.updated_at,
         -- what has expired is gone, and this is another entry
         created_at = case when e.expires_at <= now() then excluded.created_at else e.created_at end
       returning e.*
     ),
     change as (
       select w.*, case when o.version is null then 'insert' else 'update' end as op,
         coalesce(o.value_json, 'null') as old_value, coalesce(o.version, 0) as old_version
       from written w left join old o on true
     )
     select ${ENTRY},
       ${fire('op', { value: 'value_json', version: 'version', oldValue: 'old_value', oldVersion: 'old_version' })}
     from change`,
    [tenantId, entry.collection, entry.key, JSON.stringify(cause), entry.value_json, entry.ttl_seconds],
  )
  const { fired, ...written } = rows[0]!
  return { entry: written, fired }
}

/** Gives what was deleted; the caller holds the lock of the key. */
export async function removeEntry(
  tx: Client,
  tenantId: string,
  { collection, key }: EntryKey,
  cause: Cause,
): Promise<Written | undefined> {
  const { rows } = await tx.query<EntryRow & { fired: number }>(
    `with removed as (
       delete from kv_entries where tenant_id = $1 and collection = $2 and key = $3 and ${IS_LIVE} returning *
     )
     select ${ENTRY},
       ${fire("'delete'", { value: "'null'", version: '0', oldValue: 'value_json', oldVersion: 'version' })}
     from removed`,
    [tenantId, collection, key, JSON.stringify(cause)],
  )
  if (rows[0] === undefined) return undefined
  const { fired, ...entry } = rows[0]
  return { entry, fired }
}
