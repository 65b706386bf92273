/** Signing in: with a password, with an API key, or by a link. */
import type { SignIn } from '@carillon/contract'
import type { z } from 'zod'
import type { Principal } from '../../platform/calls/principal.ts'
import { keyOf } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import { type Executor, type Pool, transaction } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type AccountRow, findAccountByEmail, refuseOldPassword, toAccount } from '../accounts/accounts.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { placeOf, recordChange } from '../audit-logs/audit-logs.ts'
import { recordForAccount } from '../members/members.ts'
import { useLink } from './links.ts'
import type { PasswordGuard } from './password-guard.ts'
import { type OpenedSession, openSession, type SignInRequest } from './sessions.ts'

export interface SignInParts {
  pool: Pool
  keyring: Keyring
  passwords: Passwords
  guard: PasswordGuard
  keys: { authenticate(key: string, address: string): Promise<Principal | undefined> }
}

export function signIn(
  parts: SignInParts,
  request: SignInRequest,
  given: z.output<typeof SignIn>,
): Promise<OpenedSession> {
  if ('link' in given) return signInByLink(parts, request, given.link)
  if ('api_key' in given) return signInWithKey(parts, request, given.api_key)
  return signInWithPassword(parts, request, given)
}

async function signInWithPassword(
  { pool, passwords, guard }: SignInParts,
  request: SignInRequest,
  { email, password }: { email: string; password: string },
): Promise<OpenedSession> {
  const account = await findAccountByEmail(pool, email)
  const isRight = await guard.judge(email, request.ip, () =>
    passwords.isRight(password, account?.password_hash),
  )
  if (account === undefined || !isRight) {
    if (account !== undefined) recordRefused(pool, request, account)
    throw new Refusal('unauthenticated', 'The email or the password is wrong.')
  }
  return transaction(pool, async tx => {
    await refuseOldPassword(tx, account)
    const session = await openSession(tx, { account_id: account.id }, request)
    const change = { type: 'session', id: session.id, action: 'sign_in', after: { with: 'password' } }
    await recordForAccount(tx, request, account, change)
    return session
  })
}

/** Nobody waits for it: an answer that takes longer would tell that there is such an account. */
export function recordRefused(db: Executor, request: SignInRequest, account: AccountRow): void {
  const refused = { type: 'account', id: account.id, action: 'sign_in_refused' }
  recordForAccount(db, request, account, refused).catch(error =>
    request.log.error({ err: error }, 'a refused sign-in could not be recorded'),
  )
}

async function signInByLink(
  { pool, keyring }: SignInParts,
  request: SignInRequest,
  link: string,
): Promise<OpenedSession> {
  return transaction(pool, async tx => {
    const account = await useLink(tx, keyring, link, Date.now())
    const session = await openSession(tx, { account_id: account.id, by_link: true }, request)
    const after = { with: 'link', account: toAccount(account) }
    const change = { type: 'session', id: session.id, action: 'sign_in', after }
    await recordForAccount(tx, request, account, change)
    return session
  })
}

async function signInWithKey(
  { pool, keys }: SignInParts,
  request: SignInRequest,
  key: string,
): Promise<OpenedSession> {
  const principal = await keys.authenticate(key, request.ip)
  if (principal === undefined)
    throw new Refusal('unauthenticated', 'The API key is unknown, revoked or expired.')
  const { tenant_id, user_id } = principal
  const api_key_id = keyOf(principal)
  return transaction(pool, async tx => {
    const session = await openSession(tx, { api_key: { tenant_id, id: api_key_id } }, request)
    request.isAudited = true
    await recordChange(tx, tenant_id, {
      ...{ user_id, api_key_id, ...placeOf(request) },
      ...{ type: 'session', id: session.id, action: 'sign_in', after: { with: 'api_key' } },
    })
    return session
  })
}
