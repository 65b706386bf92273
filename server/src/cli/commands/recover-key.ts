/** A new owner's key for somebody who has none any more, but has the machine and thereby the database. */
import { createApiKey } from '../../oversight/api-keys/api-keys.ts'
import { recordChange } from '../../oversight/audit-logs/audit-logs.ts'
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { findTenantByName } from '../../oversight/tenants/tenants.ts'
import { type Environment, loadConfig } from '../../platform/config/config.ts'
import { migrateUp } from '../../platform/database/migrate.ts'
import { createPool, transaction } from '../../platform/database/pool.ts'
import { borrowDatabase } from '../../platform/embedded-database/open.ts'

/** For the tenant of that name; without a name for the first one, and then with the scope `instance` as well. */
export async function recoverKey(
  environment: Environment | undefined,
  tenantName: string | undefined,
  remark: (line: string) => void,
) {
  const database = await borrowDatabase(loadConfig(environment), remark)
  const pool = createPool(database.url)
  try {
    await migrateUp(database.ownerUrl)
    return await transaction(pool, async tx => {
      const tenant = await findTenantByName(tx, tenantName)
      if (tenant === undefined) throw new Error(`There is no tenant ${tenantName ?? 'yet'}.`)
      const key = await createApiKey(tx, tenant.id, {
        name: 'recovered key',
        scopes: tenantName === undefined ? ['admin', 'instance'] : ['admin'],
      })
      const { key: _, ...after } = key
      await recordChange(tx, tenant.id, { type: 'api_key', id: key.id, action: 'recover', after })
      await raiseSystemEvent(tx, {
        tenant_id: tenant.id,
        event_type: 'api_key_recovered',
        severity: 'high',
        description: 'An owner’s key was created on the server’s machine.',
        details: { api_key_id: key.id },
      })
      return { ...key, tenant: tenant.name }
    })
  } finally {
    await pool.end()
    await database.close()
  }
}
