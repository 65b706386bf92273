/** Who belongs to a tenant, and as what. Only owners make and unmake owners, and one always stays. */
import { type KeyRole, type Member, ROLE_SCOPES, type Scope } from '@carillon/contract'
import { isPermitted, type Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { AccountRow } from '../accounts/accounts.ts'
import { createMemberKey, retireMemberKey } from '../api-keys/api-keys.ts'
import { type AuditedRequest, type Change, placeOf, recordChange } from '../audit-logs/audit-logs.ts'
import {
  deleteMember,
  insertMember,
  lockOwners,
  type MemberRow,
  selectMember,
  selectMembers,
  selectMembership,
  selectTenantsOf,
  updateRole,
} from './queries.ts'

export const membershipOf = selectMembership
export const tenantsOf = selectTenantsOf

/** Whoever operates the one tenant operates the other too, in the same role. Answers how many they are. */
export async function shareTenant(tx: Client, fromId: string, toId: string): Promise<number> {
  const members = await selectMembers(tx, fromId)
  for (const { account_id, email, role } of members)
    await addMember(tx, toId, { id: account_id, email }, role)
  return members.length
}

export async function isMember(db: Executor, tenantId: string, accountId: string): Promise<boolean> {
  return (await selectMember(db, tenantId, accountId)) !== undefined
}

/** Does nothing for somebody who belongs to the tenant already. */
export async function addMember(
  tx: Client,
  tenantId: string,
  account: Pick<AccountRow, 'id' | 'email'>,
  role: KeyRole,
): Promise<void> {
  if (await isMember(tx, tenantId, account.id)) return
  const api_key_id = await createMemberKey(tx, tenantId, account.email ?? account.id)
  await insertMember(tx, tenantId, { account_id: account.id, role, api_key_id })
}

export async function changeRole(
  tx: Client,
  principal: Principal,
  accountId: string,
  role: KeyRole,
): Promise<Member> {
  const { tenant_id } = principal
  refuseAbove(principal, role)
  await refuseLastOwner(tx, principal, accountId, role)
  await getMember(tx, tenant_id, accountId)
  await updateRole(tx, tenant_id, accountId, role)
  return getMember(tx, tenant_id, accountId)
}

/** Returns the member as it was. What it registered goes with it. */
export async function removeMember(tx: Client, principal: Principal, accountId: string): Promise<Member> {
  const { tenant_id } = principal
  await refuseLastOwner(tx, principal, accountId, undefined)
  return endMembership(tx, tenant_id, accountId)
}

/** Of an account that is going to be deleted. */
export async function endMemberships(
  tx: Client,
  accountId: string,
): Promise<{ tenantId: string; member: Member }[]> {
  const ended: { tenantId: string; member: Member }[] = []
  for (const { id: tenantId } of await selectTenantsOf(tx, accountId)) {
    const owners = await lockOwners(tx, tenantId)
    if (owners.includes(accountId)) refuseNone(owners.length - 1)
    ended.push({ tenantId, member: await endMembership(tx, tenantId, accountId) })
  }
  return ended
}

async function endMembership(tx: Client, tenantId: string, accountId: string): Promise<Member> {
  const row = await selectMember(tx, tenantId, accountId)
  if (row === undefined) throw notFound(`member ${accountId}`)
  await deleteMember(tx, tenantId, accountId)
  await retireMemberKey(tx, tenantId, row.api_key_id)
  return toMember(row)
}

export async function getMember(db: Executor, tenantId: string, accountId: string): Promise<Member> {
  const row = await selectMember(db, tenantId, accountId)
  if (row === undefined) throw notFound(`member ${accountId}`)
  return toMember(row)
}

export function mayGive(giver: { scopes: readonly Scope[] }, role: KeyRole): boolean {
  return ROLE_SCOPES[role].every(scope => isPermitted(giver, scope))
}

/** Nobody gives what they do not have themselves. */
export function refuseAbove(principal: Principal, role: KeyRole): void {
  if (mayGive(principal, role)) return
  throw new Refusal('forbidden', `You may do less than the role "${role}", so you cannot give it.`, [
    { field: 'role', message: 'Choose a lesser role.' },
  ])
}

/** Before an owner loses the role. Holds the owners until the transaction ends, so that two cannot leave at once. */
async function refuseLastOwner(
  tx: Client,
  principal: Principal,
  accountId: string,
  role: KeyRole | undefined,
): Promise<void> {
  const owners = await lockOwners(tx, principal.tenant_id)
  if (!owners.includes(accountId) || role === 'owner') return
  if (!isPermitted(principal, 'admin'))
    throw new Refusal('forbidden', 'Only an owner can take this role from an owner.')
  refuseNone(owners.length - 1)
}

function refuseNone(left: number): void {
  if (left === 0)
    throw new Refusal('last_owner', 'It is the last owner of a tenant. Make somebody else an owner first.')
}

export function toMember(row: MemberRow): Member {
  return {
    account_id: row.account_id,
    email: row.email ?? '',
    name: row.name,
    role: row.role,
    created_at: row.created_at.toISOString(),
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
  }
}

/** What happens to an account concerns every tenant that it belongs to, and each has an audit log of its own. */
export async function recordForAccount(
  db: Executor,
  request: Omit<AuditedRequest, 'principal'>,
  account: Pick<AccountRow, 'id' | 'email'>,
  change: Change,
): Promise<void> {
  request.isAudited = true
  const actor = { account_id: account.id, account_email: account.email ?? '' }
  for (const { id } of await selectTenantsOf(db, account.id))
    await recordChange(db, id, { ...actor, ...placeOf(request), ...change })
}
