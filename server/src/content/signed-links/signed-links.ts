/**
 * Signed links: whoever has one may do what it says for the person it names, until it expires. Nothing is stored; a
 * changed byte, another purpose or a dropped master key makes a link invalid.
 */
import { Channel } from '@carillon/contract'
import { z } from 'zod'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { type ClaimKind, readClaim, signClaim } from '../../platform/secrets/signed-claims.ts'

const PersonClaim = z.object({ tenant_id: z.uuid(), user_id: z.string().min(1) })
const UnsubscribeClaim = PersonClaim.extend({ channel: Channel, category: z.string() })
const ThreadClaim = PersonClaim.extend({ thread_kind: z.string().min(1), thread_id: z.string().min(1) })
/** Opens the playground of a tenant. */
const PlaygroundClaim = z.object({ tenant_id: z.uuid() })
/** Shows one captured mail. */
const CapturedMailClaim = z.object({
  tenant_id: z.uuid(),
  notification_id: z.uuid(),
  message_id: z.string().min(1),
})
export type PersonClaim = z.infer<typeof PersonClaim>
export type UnsubscribeClaim = z.infer<typeof UnsubscribeClaim>

export type ThreadClaim = z.infer<typeof ThreadClaim>

const CLAIMS = {
  preferences: PersonClaim,
  unsubscribe: UnsubscribeClaim,
  thread: ThreadClaim,
  playground: PlaygroundClaim,
  captured_mail: CapturedMailClaim,
}
type Purpose = keyof typeof CLAIMS
/** Of links that people get in their mails. */
export type PersonPurpose = Exclude<Purpose, 'playground' | 'captured_mail'>
type Claim<P extends Purpose> = z.infer<(typeof CLAIMS)[P]>
type Expiring<P extends Purpose> = Claim<P> & { expires: number }

export function preferencePageLink(
  keyring: Keyring,
  base: string,
  person: PersonClaim,
  expiresAt: Date,
): string {
  return linkTo(base, 'preferences', signToken(keyring, 'preferences', person, expiresAt))
}

export function signToken<P extends Purpose>(
  keyring: Keyring,
  purpose: P,
  claim: Claim<P>,
  expiresAt: Date,
): string {
  const expires = Math.floor(expiresAt.getTime() / 1000)
  return signClaim(keyring, kindOf(purpose), { ...claim, expires })
}

/** The token's claim, 'expired', or undefined if we did not sign it for this purpose. */
export function readToken<P extends Purpose>(
  keyring: Keyring,
  purpose: P,
  token: string,
  now: number,
): Expiring<P> | 'expired' | undefined {
  const claim = readClaim(keyring, kindOf(purpose), token)
  return claim !== undefined && claim.expires * 1000 <= now ? 'expired' : claim
}

function kindOf<P extends Purpose>(purpose: P): ClaimKind<Expiring<P>> {
  const schema: z.ZodType = CLAIMS[purpose].extend({ expires: z.number() })
  return { purpose, schema: schema as z.ZodType<Expiring<P>> }
}

export function linkTo(base: string, path: string, token: string): string {
  return `${base.replace(/\/$/, '')}/${path}/${token}`
}
