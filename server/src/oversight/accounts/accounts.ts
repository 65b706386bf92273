/** Accounts of the people who operate Carillon. What they may do is decided by the tenants they are members of. */
import type { Account, AccountChanges } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { Passwords } from './passwords.ts'
import {
  type AccountRow,
  deleteAccount,
  holdPassword,
  insertAccount,
  lockAccounts,
  makeOperator,
  selectAccount,
  selectAccountByEmail,
  selectAccounts,
  selectFirstAccounts,
  updateAccount,
  useLinkNumber,
} from './queries.ts'

export { type AccountRow, deleteAccount, makeOperator }
export const findAccount = selectAccount
export const findAccountByEmail = selectAccountByEmail
export const useLinkOf = useLinkNumber

/** For operators of the instance. */
export async function listAccounts(db: Executor) {
  const rows = await selectAccounts(db)
  return rows.map(row => ({
    ...row,
    last_seen_at: row.last_seen_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  }))
}

export function toAccount({ id, email, name }: Pick<AccountRow, 'id' | 'email' | 'name'>): Account {
  return { id, email: email ?? '', name }
}

export async function createAccount(
  tx: Executor,
  {
    email,
    name = '',
    password_hash,
    is_operator = false,
  }: { email: string | null; name?: string; password_hash: string | null; is_operator?: boolean },
): Promise<AccountRow> {
  const row = { id: uuidv7(), email, name, password_hash, is_operator }
  return insertAccount(tx, row).catch(refuseTaken)
}

/**
 * Whether this instance still waits for its first owner: nobody has an account, or only somebody who opened the first link
 * and then went away without giving an email.
 */
export async function firstOwner(db: Executor): Promise<'none' | AccountRow | undefined> {
  const [first, second] = await selectFirstAccounts(db)
  if (first === undefined) return 'none'
  return first.email === null && second === undefined ? first : undefined
}

/** Undefined once there is any account. Two who ask at the same time come one after the other. */
export async function createFirstOwner(tx: Executor): Promise<AccountRow | undefined> {
  await lockAccounts(tx)
  if ((await firstOwner(tx)) !== 'none') return undefined
  return createAccount(tx, { email: null, password_hash: null, is_operator: true })
}

export interface ChangeRules {
  hash: Passwords['hash']
  /** Whether it is the current password. */
  isRight: (password: string) => Promise<boolean>
  /** Signed in by a link: whoever has lost the password cannot give it. */
  needsPassword: boolean
}

/** What is stored of the changes, once the current password was checked and the new one hashed. */
export async function prepareChanges(
  account: AccountRow,
  changes: AccountChanges,
  { hash, isRight, needsPassword }: ChangeRules,
): Promise<Pick<AccountRow, 'email' | 'name' | 'password_hash'>> {
  const { name = account.name, email = account.email, password, current_password: current } = changes
  const isProtected = password !== undefined || email !== account.email
  if (isProtected && !needsPassword) {
    if (current === undefined) throw refuseField('current_password', 'Give the current password too.')
    if (!(await isRight(current))) throw refuseField('current_password', 'It is not the current password.')
  }
  if (password === undefined) return { name, email, password_hash: account.password_hash }
  if (email === null) throw refuseField('email', 'Give the email that you will sign in with.')
  refuseObvious(password, email)
  return { name, email, password_hash: await hash(password) }
}

export async function storeChanges(
  tx: Executor,
  account: AccountRow,
  changed: Pick<AccountRow, 'email' | 'name' | 'password_hash'>,
): Promise<AccountRow> {
  const stored = await updateAccount(tx, account, changed).catch(refuseTaken)
  if (stored === undefined) throw changedMeanwhile()
  return stored
}

/** Before a session is opened: a new password ends those that there are, so none may come after it with the old one. */
export async function refuseOldPassword(
  tx: Executor,
  account: Pick<AccountRow, 'id' | 'password_hash'>,
): Promise<void> {
  if (!(await holdPassword(tx, account))) throw changedMeanwhile()
}

const changedMeanwhile = () =>
  new Refusal('unauthenticated', 'The password was changed meanwhile. Sign in again.')

/** Long enough, and yet the first that anybody would try. */
const OBVIOUS = [
  'password',
  'passw0rd',
  'passwort',
  'carillon',
  'letmein',
  'welcome',
  'qwerty',
  'qwertyuiop',
  'administrator',
  'admin',
  'changeme',
  'iloveyou',
  'abc',
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789',
  '1234567890',
]

export function refuseObvious(password: string, email: string): void {
  const plain = password.toLowerCase()
  // A word of the list once or often, with digits and signs around it. The letters of other scripts are no signs.
  const core = plain.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
  const isWord = OBVIOUS.some(word => core.replaceAll(word, '').replace(/^\d+|\d+$/g, '') === '')
  const isRepeated = /^(.{1,3})\1+.{0,2}$/su.test(plain)
  const isEmail = plain === email || plain === email.split('@')[0]
  if (isWord || isRepeated || isEmail)
    throw refuseField('password', 'It is too easy to guess. Four random words are a good one.')
}

function refuseTaken(error: unknown): never {
  if (!isDatabaseError(error, 'unique_violation')) throw error
  throw new Refusal('already_exists', 'There is an account with this email already.', [
    { field: 'email', message: 'Taken.' },
  ])
}

export function refuseField(field: string, message: string): Refusal {
  return new Refusal('invalid_request', `${field}: ${message}`, [{ field, message }])
}
