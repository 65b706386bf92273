/**
 * Links that sign in, for whoever has the machine: to the first owner of an instance, and to people who have lost their
 * password. They are signed and not stored. Each names a number of its account, which its use counts up, so that it works
 * once; the first one of all names none and works as long as nobody has an account.
 */
import { z } from 'zod'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type ClaimKind, readClaim, signClaim } from '../../platform/secrets/signed-claims.ts'
import { type AccountRow, createFirstOwner, firstOwner, useLinkOf } from '../accounts/accounts.ts'
import { addMember } from '../members/members.ts'
import { findTenantByName } from '../tenants/tenants.ts'
import { deleteSessions } from './queries.ts'

export const LINK_MS = 24 * 3_600_000

const Claim = z.object({
  account: z.object({ id: z.uuid(), number: z.number().int() }).nullable(),
  expires_ms: z.number(),
})
type Claim = z.infer<typeof Claim>
const SIGN_IN_LINK: ClaimKind<Claim> = { purpose: 'sign-in link', schema: Claim }

/** The token is in the fragment, which browsers send to nobody. */
export function dashboardUrl(url: string, fragment = ''): string {
  return `${url.replace(/\/$/, '')}/dashboard/${fragment}`
}

export function linkFor(
  keyring: Keyring,
  url: string,
  account: Pick<AccountRow, 'id' | 'link_number'> | null,
  nowMs: number,
): string {
  const named = account && { id: account.id, number: account.link_number }
  const claim = { account: named, expires_ms: nowMs + LINK_MS }
  return dashboardUrl(url, `#link=${signClaim(keyring, SIGN_IN_LINK, claim)}`)
}

/** Undefined once somebody has an account. */
export async function firstLink(
  db: Executor,
  keyring: Keyring,
  url: string,
  nowMs: number,
): Promise<string | undefined> {
  const owner = await firstOwner(db)
  if (owner === undefined) return undefined
  return linkFor(keyring, url, owner === 'none' ? null : owner, nowMs)
}

/** The account that a link signs in to. Of two who use it at once, the second is refused. */
export async function useLink(
  tx: Client,
  keyring: Keyring,
  token: string,
  nowMs: number,
): Promise<AccountRow> {
  const claim = readClaim(keyring, SIGN_IN_LINK, token)
  if (claim === undefined) throw refuse('This is not a link of this Carillon.')
  if (claim.expires_ms <= nowMs) throw refuse('The link has expired.')
  const account = claim.account === null ? await becomeFirstOwner(tx) : await useNamed(tx, claim.account)
  if (account === undefined) throw refuse('The link was used already, or another one was.')
  return account
}

function refuse(reason: string): Refusal {
  return new Refusal('unauthenticated', `${reason} “npx carillon accounts link” prints another.`, [
    { field: 'link', message: reason },
  ])
}

async function becomeFirstOwner(tx: Client): Promise<AccountRow | undefined> {
  const account = await createFirstOwner(tx)
  const tenant = await findTenantByName(tx, undefined)
  if (account === undefined || tenant === undefined) return undefined
  await addMember(tx, tenant.id, account, 'owner')
  return account
}

/** Whoever began without an email and comes again is perhaps somebody else: what the first one opened ends. */
async function useNamed(
  tx: Client,
  { id, number }: NonNullable<Claim['account']>,
): Promise<AccountRow | undefined> {
  const account = await useLinkOf(tx, id, number)
  if (account?.email === null) await deleteSessions(tx, { account, api_key: null }, { except: null })
  return account
}
