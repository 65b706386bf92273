/** Tenants, the scope of isolation, and their settings. */
import { randomUUID } from 'node:crypto'
import type { CreatedApiKey, NewTenant, Tenant, TenantSettings } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import { type Client, type Executor, type Pool, transaction } from '../../platform/database/pool.ts'
import { createApiKey } from '../api-keys/api-keys.ts'
import { recordChange } from '../audit-logs/audit-logs.ts'
import { changeQuota } from './operator-queries.ts'
import { countTenants, insertTenant, selectTenantByName, type TenantRow, updateTenant } from './queries.ts'

/** A placeholder, not a real name, so it is never shown to recipients. */
export const FIRST_TENANT = 'default'

/**
 * Creates, in an empty database, the tenant `default`, which accepts any type, and a key that may do everything. The
 * key is kept before the transaction commits: if it existed but was lost, everybody would be locked out for ever.
 */
export async function createFirstTenant(
  pool: Pool,
  keep: (key: string) => Promise<void> = async () => {},
): Promise<CreatedApiKey | undefined> {
  return transaction(pool, async tx => {
    // Several processes may start at once; the lock lets only one of them go first.
    await tx.query('lock table tenants in share row exclusive mode')
    if ((await countTenants(tx)) > 0) return undefined
    const id = randomUUID()
    await insertTenant(tx, id, FIRST_TENANT)
    const after = toTenant(await updateTenant(tx, id, { accept_unknown_types: true }))
    await recordChange(tx, id, { type: 'tenant', id, action: 'create', after })
    const created = await createApiKey(tx, id, { name: 'first key', scopes: ['admin', 'instance'] })
    await keep(created.key)
    return created
  })
}

/** Without a name: the first one there was. */
export async function findTenantByName(db: Executor, name: string | undefined): Promise<Tenant | undefined> {
  const row = await selectTenantByName(db, name)
  return row && toTenant(row)
}

export type CreatedTenant = Tenant & { api_key: CreatedApiKey }

/** Creates another tenant, with a key for its administrator. */
export async function createTenant(tx: Client, input: NewTenant): Promise<CreatedTenant> {
  const { name, quota, ...settings } = input
  const id = randomUUID()
  await insertTenant(tx, id, name).catch(refuseTakenName)
  await changeQuota(tx, id, quota ?? {})
  const tenant = await changeTenant(tx, id, settings)
  const api_key = await createApiKey(tx, id, { name: 'first key', scopes: ['admin'] })
  return { ...tenant, api_key }
}

export async function changeTenant(
  db: Parameters<typeof updateTenant>[0],
  tenantId: string,
  settings: TenantSettings,
): Promise<Tenant> {
  try {
    return toTenant(await updateTenant(db, tenantId, settings))
  } catch (error) {
    if (!isDatabaseError(error, 'check_violation')) throw error
    if (error.constraint === 'tenant_retention_covers_keys') {
      throw refuseField(
        'record_retention_days',
        'Records must be kept at least as long as idempotency keys are valid.',
      )
    }
    throw refuseField('retry_cap_ms', 'The cap may not be smaller than retry_base_ms.')
  }
}

export function toTenant(row: TenantRow): Tenant {
  const { quota_requests_per_minute, quota_routes_per_day, quota_storage_mb, ...shown } = row
  const { delete_at, deleting_since, rows_to_delete, rows_deleted, ...rest } = shown
  return {
    ...rest,
    quota: {
      requests_per_minute: quota_requests_per_minute,
      routes_per_day: quota_routes_per_day,
      storage_mb: quota_storage_mb,
    },
    storage_bytes: row.storage_bytes === null ? null : Number(row.storage_bytes),
    suspended_at: row.suspended_at?.toISOString() ?? null,
    deletion: delete_at && {
      delete_at: delete_at.toISOString(),
      started_at: deleting_since?.toISOString() ?? null,
      rows: Number(rows_to_delete),
      rows_deleted: Number(rows_deleted),
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

function refuseTakenName(error: unknown): never {
  if (isDatabaseError(error, 'unique_violation')) {
    throw new Refusal('already_exists', 'Another tenant already has this name.', [
      { field: 'name', message: 'Taken.' },
    ])
  }
  throw error
}

function refuseField(field: string, message: string): Refusal {
  return new Refusal('invalid_request', `${field}: ${message}`, [{ field, message }])
}
