/** Everything that a tenant has, to compare it in two databases. */
import { expect } from 'vitest'
import type { TestDatabase } from '../../../test/database.ts'
import { LEFT_OUT } from './tables.ts'

/** Columns that are another in each database: stamps of its transactions, and numbers that identify rows in it. */
const OWN_COLUMNS: Record<string, string[]> = {
  notifications: ['version', 'event_version'],
  notification_receipts: ['version'],
  admin_system_events: ['id'],
  tenants: ['created_at', 'suspended_at', 'suspension_reason'],
  provider_configs: ['secrets'],
  notification_webhooks: ['secrets'],
  visibility_checks: ['secrets'],
}
const AUDITED_HERE = "action not in ('export', 'import')"

/** Everything of the tenant as PostgreSQL itself writes it, by table; not with the code that is tested. */
export async function contentOf(
  pool: TestDatabase['pool'],
  tenantId: string,
): Promise<Record<string, string[]>> {
  const { rows: tables } = await pool.query(
    `select table_name as name, array_agg(format('%I::text', column_name) order by column_name) as columns
     from information_schema.columns c join pg_class t on t.oid = format('carillon.%I', table_name)::regclass
     where table_schema = 'carillon' and t.relkind in ('r', 'p') and not t.relispartition and column_name <> all (
       select jsonb_array_elements_text($1::jsonb -> table_name) union all select 'tenant_id')
     group by 1 having bool_or(column_name = 'tenant_id') or table_name = 'tenants'
       or exists (select from information_schema.columns x where x.table_name = c.table_name and x.column_name = 'tenant_id')`,
    [JSON.stringify(OWN_COLUMNS)],
  )
  const content: Record<string, string[]> = {}
  for (const { name, columns } of tables) {
    if (name in LEFT_OUT) continue
    const rows = await pool.query(
      `select array[${columns}]::text as row from carillon.${name}
       where ${name === 'tenants' ? 'id' : 'tenant_id'} = $1 ${name === 'audit_logs' ? `and ${AUDITED_HERE}` : ''} order by 1`,
      [tenantId],
    )
    content[name] = rows.rows.map(({ row }) => row)
  }
  return content
}

/** As it has to be elsewhere: what belongs to the instance stays there. */
export function carried(content: Record<string, string[]>): Record<string, string[]> {
  const entries = Object.entries(content).map(([table, rows]) => [
    table,
    rows.filter(row => table !== 'provider_callbacks' || !row.includes('shared')),
  ])
  const { api_keys, script_versions, triggers, ...rest } = Object.fromEntries(entries)
  const withoutInstance = (rows: string[]) => rows.map(row => row.replace('{admin,instance}', '{admin}'))
  return {
    ...rest,
    api_keys: withoutInstance(api_keys),
    script_versions: withoutInstance(script_versions),
    triggers: withoutInstance(triggers),
  }
}

/** Table by table, so that a difference can be read. */
export function expectSame(after: Record<string, string[]>, before: Record<string, string[]>): void {
  expect(Object.keys(after).toSorted()).toEqual(Object.keys(before).toSorted())
  for (const [table, rows] of Object.entries(before)) expect(after[table], table).toEqual(rows.toSorted())
}
