/** Who is calling: the tenant and what its key may do. */
import type { Scope } from '@carillon/contract'

export interface Principal {
  tenant_id: string
  api_key_id: string
  user_id: string | null
  scopes: Scope[]
}

/** Deny by default: a key without scopes may do nothing. `instance` stands outside `admin`, which is one tenant's. */
export function isPermitted(principal: Principal, scope: Scope): boolean {
  return principal.scopes.includes(scope) || (scope !== 'instance' && principal.scopes.includes('admin'))
}

/** The producer name of intents that do not state one. It follows the user, so that rotating a key changes nothing. */
export function defaultProducer(principal: Principal): string {
  return principal.user_id === null ? 'api' : `api:${principal.user_id}`.slice(0, 100)
}
