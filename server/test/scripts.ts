/** Scripts for tests that only need something to run, written past the API. */
import type { Pool } from '../src/platform/database/pool.ts'

let unique = 0

/** Returns the id of a new script. */
export async function addScript(
  pool: Pool,
  tenantId: string,
  { name = `script-${++unique}`, source = 'export default event => event.data' } = {},
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with added as (
       insert into scripts (id, tenant_id, name, version) values (uuid_v7(), $1, $2, 1) returning tenant_id, id
     ), versioned as (
       insert into script_versions (tenant_id, script_id, version, source, author_scopes)
       select tenant_id, id, 1, $3, '{admin}' from added
     )
     select id from added`,
    [tenantId, name, source],
  )
  return rows[0]!.id
}
