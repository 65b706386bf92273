/** Who is calling: the tenant and what its key may do. */
import { createHash } from 'node:crypto'
import type { Scope } from '@carillon/contract'
import { Refusal } from './refusal.ts'

export interface Principal {
  tenant_id: string
  /** null: a person's browser calls, with a token instead of a key. */
  api_key_id: string | null
  user_id: string | null
  /** Set in that case. It may do nothing but what routes for people let everybody do with what is theirs. */
  person?: Person
  /** Set for a session of the dashboard. An account acts in the name of a key that nobody has. */
  session?: { id: string; account: { id: string; email: string } | null }
  scopes: Scope[]
  /** The producers its key may send as; null = its own. */
  producers: string[] | null
  /** When its key stops working; null = never. */
  expires_at: Date | null
  /** The tenant's limits for each caller; null = none. */
  requests_per_minute: number | null
  notifications_per_day: number | null
  /** Whose limits it uses, if not its own. */
  limited_as?: { user_id: string | null; api_key_id: string }
  /** What the operator allows the whole tenant. */
  quota: { requests_per_minute: number | null; is_storage_full: boolean }
}

/** Whom a user token was made for, and what its tenant allows. */
export interface Person {
  user_id: string
  /** When its token was made and when it ends, in ms since 1970. */
  issuedMs: number
  expiresMs: number
  /** The number of its tenant's tokens at that time. */
  epoch: number
  /** Pages that may call with it. */
  origins: string[]
}

/** For what only a key can do. */
export function keyOf({ api_key_id }: Pick<Principal, 'api_key_id'>): string {
  if (api_key_id === null) throw new Refusal('forbidden', 'This needs an API key.')
  return api_key_id
}

/** Deny by default: a key without scopes may do nothing. `admin` covers one tenant, so it does not include `instance`. */
export function isPermitted({ scopes }: { scopes: readonly Scope[] }, scope: Scope): boolean {
  return scopes.includes(scope) || (scope !== 'instance' && scopes.includes('admin'))
}

/** Whoever acts: a caller, or whoever a script runs as. */
export type Acting = Pick<Principal, 'user_id' | 'scopes' | 'producers'> & { api_key_id: string | null }

/** The longest producer name a record can store. */
const MAX_PRODUCER_LENGTH = 100

/**
 * The producer name of intents that do not state one. It comes from the user, so that rotating a key changes nothing. A
 * long id is hashed, not cut: two users must never share a producer, because they would share idempotency keys too.
 */
export function defaultProducer(principal: Pick<Acting, 'user_id' | 'producers'>): string {
  if (principal.producers?.[0] !== undefined) return principal.producers[0]
  if (principal.user_id === null) return 'api'
  const producer = `api:${principal.user_id}`
  if (producer.length <= MAX_PRODUCER_LENGTH) return producer
  return `api:${createHash('sha256').update(principal.user_id).digest('hex')}`
}

/** Whether it is made up as above, and so given to nobody on purpose. */
export function isDefaultProducer(producer: string): boolean {
  return producer === 'api' || producer.startsWith('api:')
}

/** Who caused something, for those who look into it later. */
export function originOf(
  acting: Pick<Acting, 'user_id' | 'api_key_id'> & Pick<Principal, 'session'>,
): string {
  const { user_id, api_key_id, session } = acting
  if (session?.account) return `account:${session.account.email || session.account.id}`
  return user_id === null ? `api_key:${api_key_id}` : `user:${user_id}`
}

/** Producers share idempotency keys and permissions of types, so a key sends only as those it was given. */
export function mayProduceAs(principal: Acting, producer: string): boolean {
  if (principal.producers !== null) return principal.producers.includes(producer)
  return isPermitted(principal, 'admin') || producer === defaultProducer(principal)
}
