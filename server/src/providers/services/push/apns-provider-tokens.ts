/**
 * The signed tokens that identify us to Apple. Each must be used for 20 to 60 minutes: an older one is refused, and
 * creating them more often is answered with TooManyProviderTokenUpdates.
 */
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'

export interface ProviderTokens {
  current(): Promise<string>
  /** To be called when Apple refused this token. Returns whether another one is worth a try. */
  renew(refused: string): boolean
}

export interface ProviderTokenOptions {
  privateKey: string
  keyId: string
  teamId: string
  now: () => number
}

const MAX_TOKEN_AGE_MS = 50 * 60_000
const MIN_TOKEN_AGE_MS = 20 * 60_000

export function createProviderTokens({
  privateKey,
  keyId,
  teamId,
  now,
}: ProviderTokenOptions): ProviderTokens {
  const key = createPrivateKey(privateKey)
  let cached: { issuedAtMs: number; signing: Promise<string>; token?: string } | undefined

  function sign(issuedAtMs: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(issuedAtMs / 1000))
      .sign(key)
  }

  return {
    async current() {
      const issuedAtMs = now()
      if (cached === undefined || issuedAtMs - cached.issuedAtMs >= MAX_TOKEN_AGE_MS)
        cached = { issuedAtMs, signing: sign(issuedAtMs) }
      const { signing } = cached
      cached.token = await signing
      return signing
    },
    renew(refused) {
      if (cached?.token !== refused) return true
      if (now() - cached.issuedAtMs < MIN_TOKEN_AGE_MS) return false
      cached = undefined
      return true
    },
  }
}
