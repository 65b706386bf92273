/** Tenants, users and API keys. */
import type {
  ApiKey,
  ApiKeyQuery,
  CreatedApiKey,
  NewApiKey,
  NewTenant,
  Tenant,
  TenantSettings,
  User,
  UserInput,
  UserQuery,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList, wholeList } from './pages.ts'
import { path } from './path.ts'

/** A new tenant comes with its first key, which is shown only now. */
export type CreatedTenant = Tenant & { api_key: CreatedApiKey }

export function createUsers(send: Send) {
  return {
    ...pagedList<User, (typeof UserQuery)['_output']>(send, '/v1/users'),

    async get(id: string, options?: CallOptions): Promise<User> {
      return send({ method: 'GET', path: path`/v1/users/${id}`, ...options })
    },

    /** Creates the user or replaces it as a whole. */
    async put(id: string, user: UserInput, options?: CallOptions): Promise<User> {
      return send({ method: 'PUT', path: path`/v1/users/${id}`, body: user, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/users/${id}`, ...options })
    },
  }
}

export function createApiKeys(send: Send) {
  return {
    ...pagedList<ApiKey, ApiKeyQuery>(send, '/v1/api-keys'),

    /** The answer holds the key itself, which cannot be read again. */
    create(key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> {
      return send({ method: 'POST', path: '/v1/api-keys', body: key, ...options })
    },

    /** The key stops working; its row stays for the audit. */
    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/api-keys/${id}`, ...options })
    },
  }
}

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
