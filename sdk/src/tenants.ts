/** Tenants, the scope of isolation, and their settings. */
import type { CreatedApiKey, NewTenant, Tenant, TenantSettings } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'

/** A new tenant comes with its first key, which is shown only once. */
export type CreatedTenant = Tenant & { api_key: CreatedApiKey }

/** The tenant that the key belongs to. */
export function createTenant(send: Send) {
  return {
    get(options?: CallOptions): Promise<Tenant> {
      return send({ method: 'GET', path: '/v1/tenant', ...options })
    },

    update(settings: TenantSettings, options?: CallOptions): Promise<Tenant> {
      return send({ method: 'PATCH', path: '/v1/tenant', body: settings, ...options })
    },
  }
}

/** Every tenant of the instance; needs the `instance` scope. */
export function createTenants(send: Send) {
  return {
    ...wholeList<Tenant>(send, '/v1/tenants'),

    create(tenant: NewTenant, options?: CallOptions): Promise<CreatedTenant> {
      return send({ method: 'POST', path: '/v1/tenants', body: tenant, ...options })
    },
  }
}
