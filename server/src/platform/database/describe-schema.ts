/**
 * The schema `carillon` as SQL text, always in the same order, so that two databases can be compared and every
 * migration shows its result as a diff. Of functions it has what others call them with: their bodies are in
 * server/functions as people wrote them. Hand-written because the embedded PostgreSQL comes without pg_dump.
 */
import type { Pool } from './pool.ts'

export async function describeSchema(pool: Pool): Promise<string> {
  const tables = await pool.query<{
    name: string
    columns: string
    constraints: string | null
    indexes: string | null
    options: string | null
  }>(TABLES)
  const views = await pool.query<{ definition: string }>(VIEWS)
  const functions = await pool.query<{ signature: string }>(FUNCTIONS)
  const triggers = await pool.query<{ definition: string }>(TRIGGERS)
  const parts = tables.rows.map(table => {
    const lines = [table.columns, table.constraints].filter(part => part !== null).join(',\n')
    return `create table carillon.${table.name} (\n${lines}\n)${table.options ?? ''};\n${table.indexes === null ? '' : `${table.indexes}\n`}`
  })
  const header = '-- Generated from the migrations by `npm run db:dump`; compared in CI. Do not edit.\n'
  return [
    header,
    ...parts,
    ...views.rows.map(row => `${row.definition.trim()};\n`),
    `-- Functions (server/functions):\n${functions.rows.map(row => `-- ${row.signature}\n`).join('')}`,
    triggers.rows.map(row => `${row.definition};\n`).join(''),
  ].join('\n')
}

const TABLES = `
  select c.relname as name,
    coalesce(' partition by ' || lower(pg_get_partkeydef(c.oid)), '')
      || coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', '') as options,
    (select string_agg('  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || case when a.attidentity <> '' then ' generated always as identity' else '' end
        || case when a.attnotnull then ' not null' else '' end
        || coalesce(case when a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
          else ' default ' || pg_get_expr(d.adbin, d.adrelid) end, ''), E',\\n' order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select string_agg('  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid), E',\\n'
        order by k.contype, k.conname collate "C")
      from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n') as constraints,
    (select string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\\n' order by ic.relname collate "C")
      from pg_index i join pg_class ic on ic.oid = i.indexrelid
      where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = c.oid
        and k.contype in ('p', 'u'))) as indexes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  -- which months the archive has depends on the time
  where n.nspname = 'carillon' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'pgmigrations'
  order by c.relname collate "C"`

const VIEWS = `
  select format('create view carillon.%s as%s%s', c.relname, chr(10), rtrim(pg_get_viewdef(c.oid), ';')) as definition
  from pg_class c where c.relnamespace = 'carillon'::regnamespace and c.relkind = 'v' order by c.relname collate "C"`

const FUNCTIONS = `
  select format('%s(%s) → %s', p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) as signature
  from pg_proc p where p.pronamespace = 'carillon'::regnamespace
  order by p.proname collate "C", p.oid::regprocedure::text collate "C"`

const TRIGGERS = `
  select pg_get_triggerdef(t.oid) as definition from pg_trigger t join pg_class c on c.oid = t.tgrelid
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'carillon' and not t.tgisinternal order by t.tgname collate "C", c.relname collate "C"`
