/**
 * Accepting an invitation. It is for the account of its email: a new one, with a password, or the one there is, whose person
 * proves it by being signed in or by its password. The link alone never opens an account that exists.
 */
import { type InvitationAcceptance, NewAccountPassword } from '@carillon/contract'
import { parseOrRefuse } from '../../platform/calls/parse-or-refuse.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { SignedIn } from '../../platform/calls/signed-in.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import {
  type AccountRow,
  createAccount,
  findAccountByEmail,
  refuseField,
  refuseObvious,
  refuseOldPassword,
} from '../accounts/accounts.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { placeOf, recordChange } from '../audit-logs/audit-logs.ts'
import { addMember } from '../members/members.ts'
import type { PasswordGuard } from '../sessions/password-guard.ts'
import {
  endSession,
  hashToken,
  type OpenedSession,
  openSession,
  type SignInRequest,
} from '../sessions/sessions.ts'
import { recordRefused } from '../sessions/sign-in.ts'
import { findInvitation, noInvitation, refuseUnbacked, toInvitation } from './invitations.ts'
import { takeByToken } from './queries.ts'

export interface AcceptParts {
  pool: Pool
  passwords: Passwords
  guard: PasswordGuard
}

export async function accept(
  parts: AcceptParts,
  request: SignInRequest,
  signedIn: SignedIn | undefined,
  given: InvitationAcceptance,
): Promise<OpenedSession> {
  const { email } = await findInvitation(parts.pool, given.token)
  const known = await findAccountByEmail(parts.pool, email)
  const isSignedIn = known !== undefined && signedIn?.account?.id === known.id
  if (known !== undefined && !isSignedIn) await refuseStranger(parts, request, known, given.password)
  const password_hash = known === undefined ? await hashNew(parts.passwords, email, given.password) : null
  return transaction(parts.pool, async tx => {
    const invitation = await takeByToken(tx, hashToken(given.token))
    if (invitation === undefined) throw noInvitation()
    await refuseUnbacked(tx, invitation)
    const { tenant_id, role, id } = invitation
    if (known !== undefined) await refuseOldPassword(tx, known)
    const account = known ?? (await createAccount(tx, { email, name: given.name ?? '', password_hash }))
    await addMember(tx, tenant_id, account, role)
    if (isSignedIn) await endSession(tx, signedIn)
    const session = await openSession(tx, { account_id: account.id, chosen_tenant_id: tenant_id }, request)
    request.isAudited = true
    await recordChange(tx, tenant_id, {
      ...{ account_id: account.id, account_email: email, ...placeOf(request) },
      ...{ type: 'invitation', id, action: 'accept', after: toInvitation(invitation) },
    })
    return session
  })
}

async function refuseStranger(
  { pool, passwords, guard }: AcceptParts,
  request: SignInRequest,
  account: AccountRow,
  password: string | undefined,
): Promise<void> {
  const isRight =
    password !== undefined &&
    (await guard.judge(account.email ?? '', request.ip, () =>
      passwords.isRight(password, account.password_hash),
    ))
  if (isRight) return
  if (password !== undefined) recordRefused(pool, request, account)
  const message = password === undefined ? 'Give the password of your account.' : 'The password is wrong.'
  throw new Refusal('unauthenticated', `There is an account with this email. ${message}`, [
    { field: 'password', message },
  ])
}

async function hashNew(passwords: Passwords, email: string, password: string | undefined): Promise<string> {
  if (password === undefined) throw refuseField('password', 'Choose a password for your account.')
  parseOrRefuse(NewAccountPassword, { password })
  refuseObvious(password, email)
  return passwords.hash(password)
}
