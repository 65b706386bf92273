/** The SQL of exports: the same for every table, made from what the catalog says about it. */
import type { Client, Connection, Executor } from '../../platform/database/pool.ts'
import type { Column, Table } from './tables.ts'

/** What a row's secrets are bound to, beside its line. */
export interface ReadRow {
  line: string
  id?: string
  secrets?: string
}

export interface TableSize {
  rows: number
  /** Of the largest row, as it is stored. */
  bytes: number
}

/** One snapshot for everything that is read, however long it takes. */
export async function beginReading(client: Connection): Promise<void> {
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await client.query('begin isolation level repeatable read read only')
}

export async function measureTable(db: Executor, table: Table, tenantId: string): Promise<TableSize> {
  const sizes = table.columns.filter(({ hasSize }) => hasSize).map(sizeOf)
  const { rows } = await db.query<TableSize>(
    `select count(*)::float8 as rows, coalesce(max(${['0', ...sizes].join(' + ')}), 0)::float8 as bytes
     from ${rowsOf(table)}`,
    [tenantId],
  )
  return rows[0]!
}

/** Rows in portions, in the order of the key, through a cursor of the transaction. */
export async function* selectRows(
  db: Executor,
  table: Table,
  tenantId: string,
  { portion, sealed }: { portion: number; sealed: boolean },
): AsyncGenerator<ReadRow[]> {
  const columns = table.columns.filter(({ name }) => !sealed || name !== 'secrets')
  const order = [...table.own.flatMap(column => [`t.${column} is not null`, 't.created_at']), ...keyOf(table)]
  await db.query(
    `declare exported no scroll cursor for
     select '{"table":"${table.name}","row":{' || concat_ws(',', variadic array[${columns.map(fieldOf)}]) || '}}' as line
       ${sealed ? ', t.id, t.secrets' : ''}
     from ${rowsOf(table)} ${order.length > 0 ? `order by ${order}` : ''}`,
    [tenantId],
  )
  for (;;) {
    const { rows } = await db.query<ReadRow>(`fetch ${portion} from exported`)
    if (rows.length > 0) yield rows
    if (rows.length < portion) break
  }
  await db.query('close exported')
}

export async function selectSequences(db: Executor, names: string[]): Promise<Record<string, string>> {
  const { rows } = await db.query<{ name: string; value: string }>(
    `select sequencename as name, coalesce(last_value, 0)::text as value from pg_sequences
     where schemaname = 'carillon' and sequencename = any ($1) order by 1`,
    [names],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** What triggers tell of has happened elsewhere; see is_importing(). */
export async function beginImport(client: Client | Connection): Promise<void> {
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
  await client.query('begin')
  await client.query("set local carillon.importing = 'on'")
}

/** `changed`: expressions in place of the file's values, of the row `r.row`, its columns `p` and what is `given`. */
export async function insertRows(
  db: Executor,
  table: Table,
  tenantId: string,
  columns: Column[],
  lines: string[],
  { changed, given }: { changed: Record<string, string>; given: Record<string, string> },
): Promise<void> {
  const names = [...new Set([...columns.map(({ name }) => name), ...Object.keys(changed)])]
  const kept = new Map(columns.map(column => [column.name, columnOf(column)]))
  const values = names.map(name => changed[name] ?? kept.get(name))
  await db.query(
    `insert into carillon.${table.name} (${[table.tenant, ...names]})
     overriding system value
     select $1, ${values}
     from (select $3::json as given) g, json_array_elements($2::json) with ordinality as l (line, ord),
       lateral (select l.line -> 'row' as row) r, json_populate_record(null::carillon.${table.name}, r.row) p
     order by l.ord`,
    [tenantId, `[${lines.join(',')}]`, JSON.stringify(given)],
  )
}

/** A column of the table that refers to a row of somebody else, if there is one. */
export async function selectForeignReference(
  db: Executor,
  table: Table,
  tenantId: string,
): Promise<string | undefined> {
  for (const { column, table: other, id } of table.unbound) {
    const { rowCount } = await db.query(
      `select from carillon.${table.name} t join carillon.${other} p on p.${id} = t.${column}
       where t.${table.tenant} = $1 and p.tenant_id is distinct from $1 limit 1`,
      [tenantId],
    )
    if (rowCount !== 0) return column
  }
  return undefined
}

/** Never back: others have taken numbers since. */
export async function advanceSequence(db: Executor, name: string, value: string): Promise<void> {
  await db.query(
    `select setval(format('carillon.%I', sequencename)::regclass, $2::bigint) from pg_sequences
     where schemaname = 'carillon' and sequencename = $1 and coalesce(last_value, 0) < $2::bigint`,
    [name, value],
  )
}

export async function analyzeTables(client: Connection, names: string[]): Promise<void> {
  for (const name of names) await client.query(`analyze carillon.${name}`)
}

/** What every tenant has from the start, and the file lacks. */
export async function addMissing(db: Executor, tenantId: string): Promise<void> {
  await db.query('select add_tenant_settings($1), add_event_cursors($1)', [tenantId])
}

export async function selectClash(
  db: Executor,
  id: string,
  name: string,
): Promise<{ id: string; name: string } | undefined> {
  const { rows } = await db.query<{ id: string; name: string }>(
    'select id, name from tenants where id = $1 or name = $2 order by id = $1 desc limit 1',
    [id, name],
  )
  return rows[0]
}

function rowsOf({ name, tenant, shared }: Table): string {
  const own = shared.map(
    ({ column, table, id }) =>
      `and (t.${column} is null or exists (select from carillon.${table} p where p.${id} = t.${column} and p.tenant_id = $1))`,
  )
  return `carillon.${name} t where t.${tenant} = $1 ${own.join(' ')}`
}

const keyOf = ({ key }: Table) => key.map(column => `t.${column}`)
const sizeOf = ({ name }: Column) => `coalesce(pg_column_size(t.${name}), 0)`

/** null for a column without a value: then the field is not in the row, and a JSON null is one. */
function fieldOf({ name, isJson, isBig }: Column): string {
  const value = isJson ? `t.${name}::text` : `to_json(t.${name}${isBig ? '::text' : ''})::text`
  return `'"${name}":' || ${value}`
}

function columnOf({ name, isJson }: Column): string {
  return isJson ? `(r.row -> '${name}')::jsonb` : `p.${name}`
}
