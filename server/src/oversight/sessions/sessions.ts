/**
 * Sessions of the dashboard: a random token in a cookie, of which only the hash is stored. Whose it is, and what they may do,
 * is looked up at every request, so that whatever ends a session or takes a role away takes effect with the next one.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type KeyRole, ROLE_SCOPES, type Scope, type Session, TENANT_HEADER } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { SignedIn } from '../../platform/calls/signed-in.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { cut } from '../../platform/text/cut.ts'
import { findApiKey, principalOfKey } from '../api-keys/api-keys.ts'
import { type Change, placeOf, recordChange, toAddress } from '../audit-logs/audit-logs.ts'
import { membershipOf, recordForAccount, tenantsOf } from '../members/members.ts'
import { findTenant } from '../tenants/operators.ts'
import { deleteSessions, insertSession, settleSession, type UsedSessionRow, useSession } from './queries.ts'

export interface OpenedSession {
  id: string
  /** For the cookie; it is stored nowhere. */
  token: string
  expires_at: Date
}

/** Where a browser signs in from. */
export interface SignInRequest {
  id: string
  ip: string
  headers: { 'user-agent'?: string | undefined }
  isAudited: boolean
  log: { error(facts: object, message: string): void }
}

type Owner =
  | { account_id: string; by_link?: boolean; chosen_tenant_id?: string }
  | { api_key: { tenant_id: string; id: string } }

export async function openSession(
  db: Executor,
  owner: Owner,
  { ip, headers }: SignInRequest,
): Promise<OpenedSession> {
  const token = randomBytes(32).toString('base64url')
  const id = uuidv7()
  const expires_at = await insertSession(db, {
    id,
    token_hash: hashToken(token),
    account_id: null,
    chosen_tenant_id: null,
    api_key: null,
    by_link: false,
    ...owner,
    ip_address: toAddress(ip),
    user_agent: cut(headers['user-agent'] ?? '', 500, 'characters') || null,
  })
  return { id, token, expires_at }
}

export const hashToken = (token: string) => createHash('sha256').update(token).digest('hex')

export async function findSession(db: Executor, token: string): Promise<SignedIn | undefined> {
  const row = await useSession(db, hashToken(token))
  return row && toSignedIn(row)
}

function toSignedIn(row: UsedSessionRow): SignedIn {
  const { account_id, tenant_id, api_key_id } = row
  return {
    session_id: row.id,
    account: account_id === null ? null : { id: account_id, email: row.email ?? '', name: row.name ?? '' },
    isOperator: row.is_operator ?? false,
    api_key: tenant_id === null || api_key_id === null ? null : { tenant_id, id: api_key_id },
    chosen_tenant_id: row.chosen_tenant_id,
    needs_password: row.needs_password,
    expires_at: row.expires_at,
    isProlonged: row.is_prolonged,
  }
}

/** Undefined once the key of its session has ended. */
export async function principalOfSession(
  db: Executor,
  { session_id, account, isOperator, api_key, chosen_tenant_id }: SignedIn,
  wanted: string | undefined,
): Promise<Principal | undefined> {
  const session = { id: session_id, account: account && { id: account.id, email: account.email } }
  if (account === null) {
    const { tenant_id, id } = api_key!
    if (wanted !== undefined && wanted !== tenant_id) throw notAMember(wanted)
    const principal = await principalOfKey(db, tenant_id, id)
    return principal && { ...principal, session }
  }
  const membership = await membershipOf(db, account.id, { wanted, chosen: chosen_tenant_id })
  if (membership === undefined) throw wanted === undefined ? belongsNowhere() : notAMember(wanted)
  const principal = await principalOfKey(db, membership.tenant_id, membership.api_key_id)
  return principal && { ...principal, scopes: scopesOf(membership.role, isOperator), session }
}

const scopesOf = (role: KeyRole, isOperator: boolean): Scope[] => [
  ...ROLE_SCOPES[role],
  ...(isOperator && role === 'owner' ? (['instance'] as const) : []),
]

function belongsNowhere(): Refusal {
  return new Refusal(
    'no_membership',
    'Your account belongs to no tenant. Somebody who manages one can invite you.',
  )
}

export function notAMember(tenantId: string, field: string = TENANT_HEADER): Refusal {
  const message = `You do not belong to the tenant ${tenantId}.`
  return new Refusal('forbidden', `${field}: ${message}`, [{ field, message }])
}

/** What the dashboard knows about whoever is signed in. */
export async function describeSession(
  db: Executor,
  signedIn: SignedIn,
  wanted: string | undefined,
): Promise<Session> {
  const principal = await principalOfSession(db, signedIn, wanted)
  if (principal === undefined) throw new Refusal('unauthenticated', 'The session is over. Sign in again.')
  const { account, api_key, expires_at, needs_password } = signedIn
  const { tenant_id, scopes } = principal
  const shared = { account, scopes, expires_at: expires_at.toISOString(), needs_password }
  if (account !== null) {
    const tenants = await tenantsOf(db, account.id)
    const { role, ...tenant } = tenants.find(({ id }) => id === tenant_id)!
    return { ...shared, api_key: null, tenant, role, tenants }
  }
  const { name: keyName } = (await findApiKey(db, tenant_id, api_key!.id))!
  const { name } = await findTenant(db, tenant_id)
  const key = { id: api_key!.id, name: keyName }
  return { ...shared, api_key: key, tenant: { id: tenant_id, name }, role: null, tenants: [] }
}

/** In the audit log of whoever the session is of. */
export async function recordForSession(
  db: Executor,
  request: SignInRequest,
  { account, api_key }: SignedIn,
  change: Change,
): Promise<void> {
  if (account !== null) return recordForAccount(db, request, account, change)
  request.isAudited = true
  const { tenant_id, id } = api_key!
  await recordChange(db, tenant_id, { api_key_id: id, ...placeOf(request), ...change })
}

export async function endSession(tx: Executor, signedIn: SignedIn): Promise<void> {
  await deleteSessions(tx, signedIn, { id: signedIn.session_id })
}

/** A new password ends whatever somebody else may have opened with the old one. */
export async function keepOnly(tx: Executor, { session_id, account, api_key }: SignedIn): Promise<void> {
  await deleteSessions(tx, { account, api_key }, { except: session_id })
  await settleSession(tx, session_id)
}
