/**
 * Signed links: whoever holds one may do what it says for the person in it, until it expires. Nothing is stored; a
 * changed byte, another purpose or a dropped master key make a link worthless.
 */
import { Channel } from '@carillon/contract'
import { z } from 'zod'
import type { Keyring } from '../../platform/secrets/keyring.ts'

const Holder = z.object({ tenant_id: z.uuid(), user_id: z.string().min(1) })
const UnsubscribeClaim = Holder.extend({ channel: Channel, category: z.string() })
export type Holder = z.infer<typeof Holder>
export type UnsubscribeClaim = z.infer<typeof UnsubscribeClaim>

const CLAIMS = { preferences: Holder, unsubscribe: UnsubscribeClaim }
type Purpose = keyof typeof CLAIMS
type Claim<P extends Purpose> = z.infer<(typeof CLAIMS)[P]>

export function pageLink(keyring: Keyring, base: string, holder: Holder, expiresAt: Date): string {
  return linkTo(base, 'preferences', signToken(keyring, 'preferences', holder, expiresAt))
}

export function signToken<P extends Purpose>(
  keyring: Keyring,
  purpose: P,
  claim: Claim<P>,
  expiresAt: Date,
): string {
  const body = { ...claim, expires: Math.floor(expiresAt.getTime() / 1000) }
  const text = Buffer.from(JSON.stringify(body)).toString('base64url')
  return `${text}.${keyring.sign(purpose, text).toString('base64url')}`
}

/** What the token says, 'expired', or undefined when we did not sign it for this. */
export function readToken<P extends Purpose>(
  keyring: Keyring,
  purpose: P,
  token: string,
  now: number,
): (Claim<P> & { expires: number }) | 'expired' | undefined {
  const [text = '', written = '', ...more] = token.split('.')
  const signature = Buffer.from(written, 'base64url')
  // One way to write a link: base64 would also be read with other last bits or odd characters in it.
  if (more.length > 0 || signature.toString('base64url') !== written) return undefined
  // Nothing of it is looked at before the signature is known to be ours.
  if (!keyring.isSigned(purpose, text, signature)) return undefined
  const claim = CLAIMS[purpose]
    .extend({ expires: z.number() })
    .parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  return claim.expires * 1000 <= now ? 'expired' : (claim as Claim<P> & { expires: number })
}

export function linkTo(base: string, path: string, token: string): string {
  return `${base.replace(/\/$/, '')}/${path}/${token}`
}
