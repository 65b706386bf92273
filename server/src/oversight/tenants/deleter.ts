/** Deletes tenants whose days of grace are over, a portion per transaction, so that others hardly notice. */
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { raiseSystemEvent } from '../system-events/system-events.ts'
import { deleteSomeRows, deleteTenantRow, lockTenantToDelete, startDeletion } from './operator-queries.ts'

/** Short, so that whoever deletes a tenant without days of grace sees it begin. */
const LOOK_AGAIN_MS = 5000
const ROWS_AT_ONCE = 2000

export function createTenantDeleter(options: {
  pool: Pool
  wake: Wake
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'tenant deleter',
    round: async () => ((await deletePortion(options.pool)) ? 0 : LOOK_AGAIN_MS),
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** Answers whether there was anything to do. */
export async function deletePortion(pool: Pool, rowsAtOnce = ROWS_AT_ONCE): Promise<boolean> {
  return transaction(pool, async tx => {
    const tenant = await lockTenantToDelete(tx)
    if (tenant === undefined) return false
    if (!tenant.has_started) {
      await startDeletion(tx, tenant.id)
      return true
    }
    if ((await deleteSomeRows(tx, tenant.id, rowsAtOnce)) > 0) return true
    await deleteTenantRow(tx, tenant.id)
    await raiseSystemEvent(tx, {
      tenant_id: null,
      event_type: 'tenant_deleted',
      subject: tenant.id,
      severity: 'low',
      description: `The tenant "${tenant.name}" was deleted with everything it had.`,
      details: { tenant_id: tenant.id, rows_deleted: tenant.rows_deleted },
    })
    return true
  })
}
