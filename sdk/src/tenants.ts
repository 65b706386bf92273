/** Tenants, the scope of isolation, and their settings. */
import type {
  CreatedApiKey,
  NewTenant,
  Suspension,
  Tenant,
  TenantChange,
  TenantDeletionQuery,
  TenantSettings,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

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

    get(id: string, options?: CallOptions): Promise<Tenant> {
      return send({ method: 'GET', path: path`/v1/tenants/${id}`, ...options })
    },

    /** Changes what the tenant may use; its own keys cannot. */
    update(id: string, change: TenantChange, options?: CallOptions): Promise<Tenant> {
      return send({ method: 'PATCH', path: path`/v1/tenants/${id}`, body: change, ...options })
    },

    /** Its keys stop working, and what waits is not sent. */
    suspend(id: string, suspension: Suspension = {}, options?: CallOptions): Promise<Tenant> {
      return send({ method: 'POST', path: path`/v1/tenants/${id}/suspend`, body: suspension, ...options })
    },

    /** Also for a tenant that is to be deleted, until its deletion has begun. */
    resume(id: string, options?: CallOptions): Promise<Tenant> {
      return send({ method: 'POST', path: path`/v1/tenants/${id}/resume`, ...options })
    },

    /** It stops at once and is deleted after the days of grace; `get` shows the progress. */
    delete(id: string, query: TenantDeletionQuery = {}, options?: CallOptions): Promise<Tenant> {
      return send({ method: 'DELETE', path: path`/v1/tenants/${id}`, query, ...options })
    },
  }
}
