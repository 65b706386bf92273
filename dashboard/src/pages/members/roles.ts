import type { KeyRole } from '@carillon/contract'

/** From the one that may the most. */
export const ROLES: Record<KeyRole, string> = {
  owner: 'Everything, also the tenant’s settings and other owners',
  admin: 'Everything but the tenant’s settings',
  operator: 'Sees everything; replays, resolves, suppresses and cancels',
  viewer: 'Sees everything and changes nothing',
}

export const ROLE_NAMES = Object.keys(ROLES) as KeyRole[]

/** Nobody gives more than they have. An API key that may manage keys is as an admin. */
export function rolesUpTo(role: KeyRole | null): KeyRole[] {
  return ROLE_NAMES.slice(ROLE_NAMES.indexOf(role ?? 'admin'))
}
