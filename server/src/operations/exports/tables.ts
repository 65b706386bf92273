/**
 * What belongs to a tenant, read from the catalog of the database, so that a new table goes along without being named
 * here. What stays behind is listed with its reason; a test holds that every table is one or the other.
 */
import type { Executor } from '../../platform/database/pool.ts'

/** Tables that stay behind: what only the instance knows, or what is over before a file is carried anywhere. */
export const LEFT_OUT: Record<string, string> = {
  accounts: 'of the instance: who operates it; another one has people of its own',
  invariant_violations: 'what the reconciler of this instance has found; another one looks by itself',
  invariant_walks: 'of the instance: how far its reconciler has looked',
  invitations: 'links into this instance',
  limit_counters: 'tries of the last hour or so; they start anew',
  master_keys: 'of the instance: which key its secrets are encrypted with',
  members: 'which accounts of this instance operate the tenant',
  pgmigrations: 'of the instance: its schema',
  provider_health: 'whether a service answered this instance; another one finds out by itself',
  rate_limits: 'requests of the current minute and day; they start anew',
  recent_sends: 'sends of the last minute',
  releases: 'of the instance: its functions',
  reply_inboxes: 'callers who wait at this instance for an answer',
  restores: 'of the instance: which backup it came from',
  sessions: 'browsers that are signed in to this instance',
  time_zones: 'of the instance: what its PostgreSQL and Node disagree about',
}

export interface Column {
  name: string
  isJson: boolean
  /** Written as text, since most readers of JSON would round it. */
  isBig: boolean
  hasSize: boolean
}

interface Reference {
  column: string
  table: string
  id: string
}

export interface Table {
  name: string
  /** The column that names the tenant; it is not in the file, which has one tenant. */
  tenant: string
  columns: Column[]
  /** The columns of its key, which give the order of the rows. */
  key: string[]
  /** Columns that refer to rows of the same table; those that refer to none come first. */
  own: string[]
  /** Columns that refer to rows which may be the instance's, such as providers from the environment: those stay behind. */
  shared: Reference[]
  /** Columns that refer to a row by its id alone, which a row of another tenant may have. */
  unbound: Reference[]
  /** The sequences that its numbers come from. */
  sequences: string[]
}

/** The tenant's own row first, and each table after those that its rows refer to. */
export async function readTables(db: Executor): Promise<Table[]> {
  const { rows } = await db.query<Table & { parents: string[] }>(TABLES, [Object.keys(LEFT_OUT)])
  const sorted: Table[] = []
  const waiting = new Map(rows.map(row => [row.name, row]))
  while (waiting.size > 0) {
    const next = [...waiting.values()].find(({ parents }) => !parents.some(parent => waiting.has(parent)))
    if (next === undefined) throw new Error(`These tables refer to each other: ${[...waiting.keys()]}`)
    const { parents: _, ...table } = next
    sorted.push(table)
    waiting.delete(table.name)
  }
  return sorted
}

/**
 * Not in the file: what is computed; what a transaction of the database stamps (inbox versions, which compare with the
 * database's own transactions); and a number that alone identifies a row, since others may have it in another instance.
 * Such rows are numbered anew, in the same order.
 */
const TABLES = `
  with owned as (
    select c.oid, c.relname::text as name, a.attnum as tenant_attnum, a.attname::text as tenant
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      and a.attname = case when c.relname = 'tenants' then 'id' else 'tenant_id' end
    where c.relnamespace = 'carillon'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all ($1)
  ), keys as (
    select distinct on (i.indrelid) i.indrelid, i.indkey::int2[] as attnums
    from pg_index i where i.indisunique and i.indpred is null and i.indexprs is null
    order by i.indrelid, i.indisprimary desc, i.indexrelid
  ), numbers as (
    select d.refobjid as oid, s.relname::text as sequence
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype = 'i'
    union
    select f.adrelid, s.relname::text
    from pg_attrdef f join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid
    join pg_class s on d.refclassid = 'pg_class'::regclass and s.oid = d.refobjid and s.relkind = 'S'
  ), unbound as (
    select f.conrelid as oid, not n.attnotnull as is_shared,
      json_build_object('column', a.attname, 'table', p.name, 'id', r.attname) as reference
    from pg_constraint f join owned p on p.oid = f.confrelid
    join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
    join pg_attribute r on r.attrelid = p.oid and r.attnum = f.confkey[1]
    join pg_attribute n on n.attrelid = p.oid and n.attname = 'tenant_id'
    where f.contype = 'f' and cardinality(f.conkey) = 1
  )
  select o.name, o.tenant,
    array(
      select a.attname::text from unnest(k.attnums) with ordinality as n (attnum, ord)
      join pg_attribute a on a.attrelid = o.oid and a.attnum = n.attnum
      where a.attnum <> o.tenant_attnum order by n.ord
    ) as key,
    (select json_agg(json_build_object('name', a.attname, 'isJson', t.typname = 'jsonb',
        'isBig', t.typname in ('int8', 'numeric'), 'hasSize', a.attlen = -1) order by a.attnum)
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped and a.attnum <> o.tenant_attnum
        and a.attgenerated = ''
        and coalesce(pg_get_expr(d.adbin, d.adrelid), '') not like '%pg_current_xact_id%'
        and not (a.attidentity <> '' and a.attnum = all (k.attnums))) as columns,
    array(
      select a.attname::text from pg_constraint f
      join pg_attribute a on a.attrelid = o.oid and a.attnum = any (f.conkey) and a.attnum <> o.tenant_attnum
      where f.conrelid = o.oid and f.contype = 'f' and f.confrelid = o.oid
    ) as own,
    array(
      select distinct p.name from pg_constraint f join owned p on p.oid = f.confrelid
      where f.conrelid = o.oid and f.contype = 'f' and f.confrelid <> o.oid
    ) as parents,
    coalesce((select json_agg(u.reference) filter (where u.is_shared) from unbound u where u.oid = o.oid), '[]') as shared,
    coalesce((select json_agg(u.reference) from unbound u where u.oid = o.oid), '[]') as unbound,
    array(
      select n.sequence from numbers n where n.oid = o.oid order by 1
    ) as sequences
  from owned o left join keys k on k.indrelid = o.oid
  order by o.name <> 'tenants', o.name`
