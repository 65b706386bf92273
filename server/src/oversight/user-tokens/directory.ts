/** Finds who calls with a user token, and which pages may call at all. */
import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { readClaim } from '../../platform/secrets/signed-claims.ts'
import { suspended } from '../api-keys/api-keys.ts'
import { type Holder, type HolderRow, isOriginOfAny, selectHolders } from './queries.ts'
import { type Claim, endOf, USER_TOKEN } from './user-tokens.ts'

export interface TokenDirectory {
  /** Undefined if it is no token of ours. An authentic one that has ended is refused: nobody guessed it. */
  authenticate(token: string): Promise<Principal | undefined>
  /** Whether any tenant lets pages of this origin call. */
  isKnownOrigin(origin: string): Promise<boolean>
  /** Of tokens that were valid when they came, those that have ended since, and why; asked from the database. */
  ended(tokens: Held[]): Promise<Map<Held, 'expired' | 'revoked'>>
}

/** A token in use for longer than one request. */
export type Held = Holder & { epoch: number; issuedMs: number; expiresMs: number }

export interface TokenParts {
  db: Executor
  keyring: Keyring
  now?: () => number
  /** A token revoked in another process is refused here at most so much later. */
  rememberMs?: number
}

export function createTokenDirectory(parts: TokenParts): TokenDirectory {
  const { db, keyring, now = Date.now, rememberMs = 1000 } = parts
  const holders = createMemory<HolderRow | undefined>({ forMs: rememberMs, now })
  const origins = createMemory<boolean>({ forMs: rememberMs, now })

  return {
    async authenticate(token) {
      const claim = readClaim(keyring, USER_TOKEN, token)
      if (claim === undefined) return undefined
      const { tenant_id, user_id } = claim
      const key = JSON.stringify([tenant_id, user_id])
      const holder = await holders.get(key, async () => (await selectHolders(db, [claim]))[0])
      const end = endOf(claim, holder, now())
      if (holder === undefined || end !== undefined) throw over(end ?? 'revoked')
      if (holder.is_suspended) throw suspended(holder.suspension_reason)
      return principalOf({ ...claim, tenant_id, user_id }, holder)
    },
    isKnownOrigin: origin => origins.get(origin, () => isOriginOfAny(db, origin)),
    async ended(tokens) {
      const rows = await selectHolders(db, tokens)
      const byName = new Map(rows.map(row => [nameOf(row), row]))
      const ends = new Map<Held, 'expired' | 'revoked'>()
      for (const token of tokens) {
        const row = byName.get(nameOf(token))
        const claim = { epoch: token.epoch, issued_ms: token.issuedMs, expires_ms: token.expiresMs }
        const end = endOf(claim, row, now()) ?? (row?.is_suspended ? 'revoked' : undefined)
        if (end !== undefined) ends.set(token, end)
      }
      return ends
    },
  }
}

const nameOf = ({ tenant_id, user_id }: Holder) => JSON.stringify([tenant_id, user_id])

/** Without scopes: only routes that say they are for people let it in. */
function principalOf(claim: Claim, holder: HolderRow): Principal {
  return {
    tenant_id: claim.tenant_id,
    api_key_id: null,
    user_id: claim.user_id,
    person: {
      user_id: claim.user_id,
      issuedMs: claim.issued_ms,
      expiresMs: claim.expires_ms,
      epoch: claim.epoch,
      origins: holder.origins,
    },
    scopes: [],
    producers: [],
    expires_at: new Date(claim.expires_ms),
    requests_per_minute: holder.requests_per_minute,
    notifications_per_day: null,
    quota: {
      requests_per_minute: holder.quota_requests_per_minute,
      is_storage_full: holder.is_storage_full,
    },
  }
}

function over(end: 'expired' | 'revoked'): Refusal {
  return new Refusal('unauthenticated', `The user token is ${end}. Ask your own backend for a new one.`)
}
