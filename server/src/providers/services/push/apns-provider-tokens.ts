/**
 * The signed tokens by which Apple knows us. Apple wants each used for 20 to 60 minutes: an older one is refused, and
 * making them more often is answered with TooManyProviderTokenUpdates.
 */
import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'

export interface ProviderTokens {
  current(): Promise<string>
  /** Apple refused this token. True when another one is worth a try. */
  renew(refused: string): boolean
}

export interface ProviderTokenOptions {
  privateKey: string
  keyId: string
  teamId: string
  now: () => number
}

const OLDEST_MS = 50 * 60_000
const YOUNGEST_MS = 20 * 60_000

export function createProviderTokens({
  privateKey,
  keyId,
  teamId,
  now,
}: ProviderTokenOptions): ProviderTokens {
  const key = createPrivateKey(privateKey)
  let held: { issuedAt: number; signing: Promise<string>; token?: string } | undefined

  function sign(issuedAt: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(issuedAt / 1000))
      .sign(key)
  }

  return {
    async current() {
      const issuedAt = now()
      if (held === undefined || issuedAt - held.issuedAt >= OLDEST_MS)
        held = { issuedAt, signing: sign(issuedAt) }
      const { signing } = held
      held.token = await signing
      return signing
    },
    renew(refused) {
      if (held?.token !== refused) return true
      if (now() - held.issuedAt < YOUNGEST_MS) return false
      held = undefined
      return true
    },
  }
}
