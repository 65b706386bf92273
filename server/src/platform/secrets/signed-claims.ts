/**
 * Signed claims, which links and tokens consist of: JSON in base64, a dot, and our signature. Nothing is stored: whoever has
 * one may read what it says, and cannot change it. docs/decisions/0005 tells why these are no JWTs.
 */
import type { z } from 'zod'
import type { Keyring } from './keyring.ts'

export interface ClaimKind<Claim> {
  /** A claim that was signed for one purpose is worth nothing for another. */
  purpose: string
  schema: z.ZodType<Claim>
  /** Signed too. Lets secret scanners recognise a token, and everybody tell it from a key. */
  prefix?: string
}

export function signClaim<Claim>(
  keyring: Keyring,
  { purpose, prefix = '' }: ClaimKind<Claim>,
  claim: Claim,
): string {
  const text = prefix + Buffer.from(JSON.stringify(claim)).toString('base64url')
  return `${text}.${keyring.sign(purpose, text).toString('base64url')}`
}

/** Undefined if we did not sign it for this purpose. The claim is not parsed before that is certain. */
export function readClaim<Claim>(
  keyring: Keyring,
  { purpose, schema, prefix = '' }: ClaimKind<Claim>,
  token: string,
): Claim | undefined {
  if (!token.startsWith(prefix)) return undefined
  const [text = '', written = '', ...more] = token.split('.')
  const signature = Buffer.from(written, 'base64url')
  // Only one spelling of a token is valid: base64 decoding ignores odd characters and spare last bits.
  if (more.length > 0 || signature.toString('base64url') !== written) return undefined
  if (!keyring.isSigned(purpose, text, signature)) return undefined
  return schema.parse(JSON.parse(Buffer.from(text.slice(prefix.length), 'base64url').toString()))
}
