/** What operators do with the tenants of their instance: quotas, suspending, deleting. */
import type { Tenant, TenantChange } from '@carillon/contract'
import type { Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { raiseSystemEvent, resolveSystemEvents } from '../system-events/system-events.ts'
import { changeQuota, resumeTenantRow, scheduleDeletion, suspendTenantRow } from './operator-queries.ts'
import { findTenantRow } from './queries.ts'
import { toTenant } from './tenants.ts'

const PAUSED = 'sending_paused'

export async function findTenant(db: Executor, id: string): Promise<Tenant> {
  const row = await findTenantRow(db, id)
  if (row === undefined) throw notFound(`tenant ${id}`)
  return toTenant(row)
}

export async function limitTenant(tx: Client, id: string, { quota }: TenantChange): Promise<Tenant> {
  await changeQuota(tx, id, quota)
  return findTenant(tx, id)
}

export async function suspendTenant(
  tx: Client,
  principal: Principal,
  id: string,
  reason: string,
): Promise<Tenant> {
  refuseOwn(principal, id)
  await suspendTenantRow(tx, id, reason)
  await raiseSystemEvent(tx, {
    tenant_id: id,
    event_type: PAUSED,
    severity: 'high',
    description: 'The operator has suspended the tenant: nothing is sent until it is resumed.',
    details: { reason },
  })
  return findTenant(tx, id)
}

/** Also gives up a deletion, as long as that has not begun. */
export async function resumeTenant(tx: Client, id: string): Promise<Tenant> {
  await findTenant(tx, id)
  if (!(await resumeTenantRow(tx, id)))
    throw new Refusal('read_only', 'Its deletion has begun and cannot be undone.')
  await resolveSystemEvents(tx, id, PAUSED, '')
  return findTenant(tx, id)
}

/** It stops at once, and is deleted by the role maintenance when the days of grace are over. */
export async function deleteTenant(
  tx: Client,
  principal: Principal,
  id: string,
  graceDays: number,
): Promise<Tenant> {
  refuseOwn(principal, id)
  await findTenant(tx, id)
  if (!(await scheduleDeletion(tx, id, graceDays)))
    throw new Refusal('read_only', 'Its deletion has begun already.')
  return findTenant(tx, id)
}

/** Nobody could undo it. */
function refuseOwn(principal: Principal, id: string): void {
  if (principal.tenant_id !== id) return
  throw new Refusal('forbidden', 'Your own key belongs to this tenant, so you would lock yourself out.')
}
