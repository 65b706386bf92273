/** Who is calling: the tenant and what its key may do. */
import { createHash } from 'node:crypto'
import type { Scope } from '@carillon/contract'

export interface Principal {
  tenant_id: string
  api_key_id: string
  user_id: string | null
  scopes: Scope[]
  /** The tenant's limits for each caller; null = none. */
  requests_per_minute: number | null
  notifications_per_day: number | null
}

/** Deny by default: a key without scopes may do nothing. `instance` stands outside `admin`, which is one tenant's. */
export function isPermitted(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || (scope !== 'instance' && principal.scopes.includes('admin'))
}

/** The longest producer name that a record takes. */
const PRODUCER_LIMIT = 100

/**
 * The producer name of intents that do not state one. It follows the user, so that rotating a key changes nothing. A
 * long id is hashed, not cut: two users must never share a producer and with it their idempotency keys.
 */
export function defaultProducer(principal: Principal): string {
  if (principal.user_id === null) return 'api'
  const producer = `api:${principal.user_id}`
  if (producer.length <= PRODUCER_LIMIT) return producer
  return `api:${createHash('sha256').update(principal.user_id).digest('hex')}`
}
