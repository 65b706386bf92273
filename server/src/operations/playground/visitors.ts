/** Who has a link to the playground: only an operator gets one, for one tenant and one day. */
import type { Tenant } from '@carillon/contract'
import { readToken, signToken } from '../../content/signed-links/signed-links.ts'
import { suspended } from '../../oversight/api-keys/api-keys.ts'
import { findTenant } from '../../oversight/tenants/operators.ts'
import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'
import { PRODUCER } from './cast.ts'

export const LINK_MS = 24 * 3_600_000

export interface Visitor {
  tenant: Tenant
  expires_at: Date
}

/** The token is in the fragment, which browsers send to nobody. */
export function playgroundLink(keyring: Keyring, url: string, tenantId: string, now: number): string {
  const token = signToken(keyring, 'playground', { tenant_id: tenantId }, new Date(now + LINK_MS))
  return `${url.replace(/\/$/, '')}/playground#${token}`
}

/** Undefined if we did not sign the token. An expired one is refused: nobody guessed it. */
export async function findVisitor(
  db: Executor,
  keyring: Keyring,
  token: string,
  now: number,
): Promise<Visitor | undefined> {
  const claim = readToken(keyring, 'playground', token, now)
  if (claim === undefined) return undefined
  if (claim === 'expired')
    throw new Refusal('unauthenticated', 'The link has expired. “npx carillon playground” prints another.')
  const tenant = await findTenant(db, claim.tenant_id)
  if (tenant.suspended_at !== null) throw suspended(tenant.suspension_reason)
  return { tenant, expires_at: new Date(claim.expires * 1000) }
}

/** As whom a visitor's requests are counted: like a person's browser, all visitors of a tenant together. */
export function countedAs({ tenant, expires_at }: Visitor): Principal {
  const { quota, storage_bytes, user_requests_per_minute } = tenant
  return {
    ...nobody(tenant.id),
    person: { user_id: PRODUCER, issuedMs: 0, expiresMs: expires_at.getTime(), epoch: 0, origins: [] },
    requests_per_minute: user_requests_per_minute,
    quota: {
      requests_per_minute: quota.requests_per_minute,
      is_storage_full: quota.storage_mb !== null && (storage_bytes ?? 0) > quota.storage_mb * 1_000_000,
    },
  }
}

/** What the playground may do in the tenant. The visitor's request was counted, so what it causes is not. */
export function actingFor({ tenant }: Visitor): Principal {
  return {
    ...nobody(tenant.id),
    producers: [PRODUCER],
    notifications_per_day: tenant.notifications_per_day,
    scopes: [
      'users:read',
      'users:write',
      'user_tokens:write',
      'topics:read',
      'topics:write',
      'types:read',
      'types:write',
      'events:read',
      'events:write',
      'intents:write',
      'records:read',
      'captured_messages:read',
      'webhooks:read',
      'triggers:read',
    ],
  }
}

const nobody = (tenant_id: string): Principal => ({
  tenant_id,
  api_key_id: null,
  user_id: null,
  scopes: [],
  producers: [],
  expires_at: null,
  requests_per_minute: null,
  notifications_per_day: null,
  quota: { requests_per_minute: null, is_storage_full: false },
})
