/** Invitations: a link that is shown once and stored as a hash. Whoever has it becomes a member, with their own account. */
import { randomBytes } from 'node:crypto'
import {
  type CreatedInvitation,
  type Invitation,
  type NewInvitation,
  type ReadInvitation,
  ROLE_SCOPES,
} from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { keyOf, type Principal } from '../../platform/calls/principal.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { findAccountByEmail } from '../accounts/accounts.ts'
import { isMember, mayGive, refuseAbove } from '../members/members.ts'
import { dashboardUrl } from '../sessions/links.ts'
import { hashToken } from '../sessions/sessions.ts'
import {
  deleteInvitation,
  type InvitationRow,
  selectByToken,
  selectInviter,
  upsertInvitation,
} from './queries.ts'

/** `url` is where people reach this Carillon. */
export async function invite(
  tx: Client,
  principal: Principal,
  { email, role, expires_in_hours: hours }: z.output<typeof NewInvitation>,
  url: string,
): Promise<CreatedInvitation> {
  const { tenant_id } = principal
  refuseAbove(principal, role)
  const account = await findAccountByEmail(tx, email)
  if (account !== undefined && (await isMember(tx, tenant_id, account.id)))
    throw new Refusal('already_exists', `${email} belongs to the tenant already.`, [
      { field: 'email', message: 'Change the role of the member instead.' },
    ])
  const token = randomBytes(32).toString('base64url')
  const api_key_id = keyOf(principal)
  const invitation = { id: uuidv7(), email, role, token_hash: hashToken(token), hours, api_key_id }
  const row = await upsertInvitation(tx, tenant_id, invitation)
  return { ...toInvitation(row), url: dashboardUrl(url, `#invitation=${token}`) }
}

export async function withdraw(tx: Client, tenantId: string, id: string): Promise<Invitation> {
  const row = await deleteInvitation(tx, tenantId, id)
  if (row === undefined) throw notFound(`invitation ${id}`)
  return toInvitation(row)
}

export async function readInvitation(db: Executor, token: string): Promise<ReadInvitation> {
  const { email, role, tenant_id, tenant_name } = await findInvitation(db, token)
  const has_account = (await findAccountByEmail(db, email)) !== undefined
  return { email, role, tenant: { id: tenant_id, name: tenant_name }, has_account }
}

export async function findInvitation(db: Executor, token: string) {
  const row = await selectByToken(db, hashToken(token))
  if (row === undefined) throw noInvitation()
  await refuseUnbacked(db, row)
  return row
}

/** Whoever was removed, or may do less by now, would otherwise stay by a link that they made before. */
export async function refuseUnbacked(
  db: Executor,
  { tenant_id, api_key_id, role }: Pick<InvitationRow, 'tenant_id' | 'api_key_id' | 'role'>,
): Promise<void> {
  const inviter = await selectInviter(db, tenant_id, api_key_id)
  const scopes = inviter?.role ? ROLE_SCOPES[inviter.role] : (inviter?.scopes ?? [])
  if (!mayGive({ scopes }, role)) throw noInvitation()
}

export const noInvitation = () =>
  new Refusal('not_found', 'The invitation was used, withdrawn or has expired. Ask for another one.')

export function toInvitation({ id, email, role, created_at, expires_at }: InvitationRow): Invitation {
  return { id, email, role, created_at: created_at.toISOString(), expires_at: expires_at.toISOString() }
}
