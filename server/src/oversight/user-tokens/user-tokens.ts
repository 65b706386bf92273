/**
 * User tokens: a person's browser proves with one who it is, for a while. A token is a claim under the instance's
 * signature; nothing of it is stored. It ends early when the person or the tenant says so, and with the person.
 */
import type { UserToken } from '@carillon/contract'
import { z } from 'zod'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type ClaimKind, signClaim } from '../../platform/secrets/signed-claims.ts'
import { type HolderRow, selectIssue } from './queries.ts'

const Claim = z.object({
  tenant_id: z.uuid(),
  user_id: z.string().min(1),
  epoch: z.number(),
  issued_ms: z.number(),
  expires_ms: z.number(),
})
export type Claim = z.infer<typeof Claim>

export const USER_TOKEN: ClaimKind<Claim> = { purpose: 'user token', prefix: 'cut_', schema: Claim }

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
  return { token: signClaim(keyring, USER_TOKEN, claim), expires_at: new Date(expires_ms).toISOString() }
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
