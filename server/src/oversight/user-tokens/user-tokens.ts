/**
 * User tokens: a person's browser proves with one who it is, for a while. A token is a claim under the instance's
 * signature; nothing of it is stored. It ends early when the person or the tenant says so, and with the person.
 */
import type { UserToken } from '@carillon/contract'
import { z } from 'zod'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type HolderRow, selectIssue } from './queries.ts'

const PURPOSE = 'user token'
/** Lets secret scanners recognise a token, and everybody tell it from a key. */
const PREFIX = 'cut_'

const Claim = z.object({
  tenant_id: z.uuid(),
  user_id: z.string().min(1),
  epoch: z.number(),
  issued_ms: z.number(),
  expires_ms: z.number(),
})
export type Claim = z.infer<typeof Claim>

export async function issueToken(
  db: Executor,
  keyring: Keyring,
  holder: Pick<Claim, 'tenant_id' | 'user_id'>,
  ttlSeconds: number,
): Promise<UserToken> {
  const issue = await selectIssue(db, holder.tenant_id, holder.user_id)
  if (issue === undefined) throw notFound(`user "${holder.user_id}"`)
  const issued_ms = issue.issued_at.getTime()
  const expires_ms = issued_ms + ttlSeconds * 1000
  const claim = {
    tenant_id: holder.tenant_id,
    user_id: holder.user_id,
    epoch: issue.epoch,
    issued_ms,
    expires_ms,
  }
  return { token: signClaim(keyring, claim), expires_at: new Date(expires_ms).toISOString() }
}

export function signClaim(keyring: Keyring, claim: Claim): string {
  const text = PREFIX + Buffer.from(JSON.stringify(claim)).toString('base64url')
  return `${text}.${keyring.sign(PURPOSE, text).toString('base64url')}`
}

/** What a token says; undefined if it is none, or we did not sign it. The claim is not parsed before that is certain. */
export function readClaim(keyring: Keyring, token: string): Claim | undefined {
  if (!token.startsWith(PREFIX)) return undefined
  const [text = '', written = '', ...more] = token.split('.')
  const signature = Buffer.from(written, 'base64url')
  // Only one spelling of a token is valid: base64 decoding ignores odd characters and spare last bits.
  if (more.length > 0 || signature.toString('base64url') !== written) return undefined
  if (!keyring.isSigned(PURPOSE, text, signature)) return undefined
  return Claim.parse(JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString()))
}

/** Why an authentic token is worth nothing any more; undefined while it works. */
export function endOf(
  claim: Pick<Claim, 'epoch' | 'issued_ms' | 'expires_ms'>,
  holder: HolderRow | undefined,
  nowMs: number,
): 'expired' | 'revoked' | undefined {
  if (claim.expires_ms <= nowMs) return 'expired'
  if (holder === undefined || claim.issued_ms < holder.created_at.getTime()) return 'revoked'
  if (claim.epoch < holder.epoch - 1) return 'revoked'
  if (holder.void_before !== null && claim.issued_ms <= holder.void_before.getTime()) return 'revoked'
  return undefined
}
