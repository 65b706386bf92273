/** The SQL of the reconciler: portions of walks, and what they found. */
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { Invariant, Walk } from './invariant.ts'

type Key = Record<string, unknown>

/** A row that breaks an invariant at this moment. */
export interface FoundRow {
  tenant_id: string
  invariant: string
  item: string
  since: string
  state: string
  details: Record<string, unknown>
  key: Key
}

export interface Portion {
  looked_at: number
  /** Of the last row; null after the end. */
  last: Key | null
  found: FoundRow[]
}

/** Of an invariant and a tenant. Where so many are broken, the others are so for the same reason. */
const MOST_KEPT = 1000
/** How many are looked at again in one statement. */
const KEPT_PORTION = 2000

/** Lookups by index for each row of a portion until the transaction ends, whatever the planner estimates. */
export async function planByIndex(tx: Executor): Promise<void> {
  await tx.query(
    `select set_config(name, 'off', true) from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) name`,
  )
}

/** The next rows after the cursor. */
export function selectPortion(db: Executor, walk: Walk, cursor: Key | null): Promise<Portion> {
  const names = walk.key.map(([column]) => `x.${column}`)
  const values = walk.key.map(([column, type]) => `($1::jsonb ->> '${column}')::${type}`)
  // The first column once more by itself: where the rows come from a join, it is what the index begins with.
  const after = `${names[0]} >= ${values[0]} and (${names.join(', ')}) > (${values.join(', ')})`
  const rows = `${walk.rows(cursor === null ? '' : after)} order by ${names.join(', ')} limit ${walk.portion}`
  return look(db, walk, rows, cursor === null ? [] : [JSON.stringify(cursor)])
}

/** The same rows once more. */
export function selectAgain(db: Executor, walk: Walk, keys: Key[]): Promise<Portion> {
  const columns = walk.key.map(([column, type]) => `${column} ${type}`).join(', ')
  const matches = walk.key.map(([column]) => `x.${column} = k.${column}`).join(' and ')
  const rows = `select y.* from (select distinct * from jsonb_to_recordset($1::jsonb) as k (${columns})) k
    cross join lateral (${walk.rows(matches)}) y`
  return look(db, walk, rows, [JSON.stringify(keys)])
}

async function look(db: Executor, walk: Walk, rows: string, values: unknown[]): Promise<Portion> {
  const key = `jsonb_build_object(${walk.key.map(([column]) => `'${column}', x.${column}`).join(', ')})`
  const last = walk.key.map(([column]) => `x.${column} desc`).join(', ')
  const answer = await db.query<Portion>(
    `with portion as materialized (${rows}),
     found as (
       select x.tenant_id, v.*, ${key} as key from portion x
       cross join lateral (${walk.invariants.map(violationOf).join(' union all ')}) v
       -- what a tenant leaves behind while it is deleted means nothing
       where (select t.deleting_since from tenants t where t.id = x.tenant_id) is null
     )
     select (select count(*) from portion)::integer as looked_at,
       (select ${key} from portion x order by ${last} limit 1) as last,
       coalesce((select jsonb_agg(f) from found f), '[]') as found`,
    values,
  )
  return answer.rows[0]!
}

function violationOf({ name, item, since, state, details, from, broken }: Invariant): string {
  return `select '${name}' as invariant, (${item})::text as item, (${since})::timestamptz as since,
    coalesce((${state ?? `''`})::text, '') as state, (${details ?? `'{}'`})::jsonb as details
    ${from === undefined ? '' : `from ${from}`} where ${broken}`
}

export interface WalkRow {
  cursor: Key | null
  /** It is at its end, and it is not yet time to begin again. */
  is_resting: boolean
}

/** undefined while another process is at it. Whoever has it goes on until its transaction ends. */
export async function lockWalk(tx: Client, walk: string, restSeconds: number): Promise<WalkRow | undefined> {
  await tx.query('insert into invariant_walks (walk) values ($1) on conflict do nothing', [walk])
  const { rows } = await tx.query<WalkRow>(
    `select cursor, cursor is null and finished_at is not null
         and started_at > now() - make_interval(secs => $2) as is_resting
     from invariant_walks where walk = $1 for update skip locked`,
    [walk, restSeconds],
  )
  return rows[0]
}

/** `cursor` null: the walk has ended. */
export async function moveWalk(
  tx: Client,
  walk: string,
  { isFirst, cursor }: { isFirst: boolean; cursor: Key | null },
): Promise<void> {
  await tx.query(
    `update invariant_walks set cursor = $2, started_at = case when $3 then now() else started_at end,
       finished_at = case when $2::jsonb is null then now() else finished_at end where walk = $1`,
    [walk, cursor === null ? null : JSON.stringify(cursor), isFirst],
  )
}

export interface KeptRow {
  tenant_id: string
  invariant: string
  item: string
  state: string
  key: Key
  is_confirmed: boolean
  age_seconds: number
}

/** In portions: every tenant may have as many as are kept. */
export async function* selectKept(tx: Client, walk: string): AsyncGenerator<KeptRow[]> {
  await tx.query(
    `declare kept no scroll cursor for
     select tenant_id, invariant, item, state, key, confirmed_at is not null as is_confirmed,
       extract(epoch from now() - created_at)::float8 as age_seconds
     from invariant_violations where walk = $1`,
    [walk],
  )
  for (;;) {
    const { rows } = await tx.query<KeptRow>(`fetch ${KEPT_PORTION} from kept`)
    if (rows.length > 0) yield rows
    if (rows.length < KEPT_PORTION) break
  }
  await tx.query('close kept')
}

/** Keeps what is new, up to a number per invariant and tenant: nobody hides what is broken of somebody else. */
export async function keepFound(tx: Client, walk: string, found: FoundRow[]): Promise<void> {
  if (found.length === 0) return
  await tx.query(
    `with fresh as (
       select f.*, row_number() over (partition by f.tenant_id, f.invariant order by f.since, f.item) as n
       from jsonb_to_recordset($2::jsonb) as f (
         tenant_id uuid, invariant text, item text, key jsonb, state text, details jsonb, since timestamptz)
       where not exists (select from invariant_violations v
         where v.tenant_id = f.tenant_id and v.invariant = f.invariant and v.item = f.item)
     ), free as (
       select g.tenant_id, g.invariant, ${MOST_KEPT} - (select count(*) from invariant_violations v
         where v.tenant_id = g.tenant_id and v.invariant = g.invariant) as places
       from (select distinct f.tenant_id, f.invariant from fresh f) g
     )
     insert into invariant_violations (tenant_id, invariant, item, walk, key, state, details, since)
     select f.tenant_id, f.invariant, f.item, $1, f.key, f.state, f.details, f.since
     from fresh f join free using (tenant_id, invariant) where f.n <= free.places
     on conflict (tenant_id, invariant, item) do nothing`,
    [walk, JSON.stringify(found)],
  )
}

type Named = Pick<KeptRow, 'tenant_id' | 'invariant' | 'item'>

const NAMED = `jsonb_to_recordset($1::jsonb) as f (tenant_id uuid, invariant text, item text, state text, details jsonb)
     where v.tenant_id = f.tenant_id and v.invariant = f.invariant and v.item = f.item`

export async function deleteKept(tx: Client, gone: Named[]): Promise<void> {
  if (gone.length > 0)
    await tx.query(`delete from invariant_violations v using ${NAMED}`, [JSON.stringify(gone)])
}

/** They have moved, so that the time they are given begins anew. */
export async function suspectAnew(tx: Client, moved: FoundRow[]): Promise<void> {
  if (moved.length > 0)
    await tx.query(
      `update invariant_violations v set state = f.state, details = f.details, created_at = now(), confirmed_at = null
       from ${NAMED}`,
      [JSON.stringify(moved)],
    )
}

export async function confirm(tx: Client, ripe: FoundRow[]): Promise<void> {
  if (ripe.length > 0)
    await tx.query(
      `update invariant_violations v set confirmed_at = now(), details = f.details from ${NAMED}`,
      [JSON.stringify(ripe)],
    )
}

export interface CountRow {
  invariant: string
  tenant_id: string
  count: number
  oldest: { item: string; since: string; details: Record<string, unknown> }[]
}

/** Confirmed violations by invariant and tenant, with the oldest few; of all tenants without one. */
export async function selectViolations(
  db: Executor,
  tenantId: string | null = null,
  invariants: readonly string[] | null = null,
): Promise<CountRow[]> {
  const { rows } = await db.query<CountRow>(
    `select v.invariant, v.tenant_id, count(*)::integer as count,
       (array_agg(jsonb_build_object('item', v.item, 'since', v.since, 'details', v.details) order by v.since, v.item))[1:3]
         as oldest
     from invariant_violations v
     where v.confirmed_at is not null and ($1::uuid is null or v.tenant_id = $1)
       and ($2::text[] is null or v.invariant = any ($2))
     group by v.invariant, v.tenant_id order by v.invariant, v.tenant_id`,
    [tenantId, invariants],
  )
  return rows
}

/** When every walk has last ended; null if one never has. */
export async function selectLastWalk(db: Executor): Promise<{ walks: number; finished_at: Date | null }> {
  const { rows } = await db.query<{ walks: number; finished_at: Date | null }>(
    `select count(*)::integer as walks,
       case when bool_and(finished_at is not null) then min(finished_at) end as finished_at from invariant_walks`,
  )
  return rows[0]!
}
