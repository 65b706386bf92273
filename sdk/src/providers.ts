/** Providers: a tenant's accounts at services. */
import type {
  NewProvider,
  Provider,
  ProviderChanges,
  ProviderKindInfo,
  TestAnswer,
  TestMessage,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

export function createProviders(send: Send) {
  return {
    ...wholeList<Provider>(send, '/v1/providers'),

    /** The kinds of providers that can be configured, with the JSON Schemas of their settings. */
    async kinds(options?: CallOptions): Promise<{ data: ProviderKindInfo[] }> {
      return send({ method: 'GET', path: '/v1/provider-kinds', ...options })
    },

    async get(id: string, options?: CallOptions): Promise<Provider> {
      return send({ method: 'GET', path: path`/v1/providers/${id}`, ...options })
    },

    async create(provider: NewProvider, options?: CallOptions): Promise<Provider> {
      return send({ method: 'POST', path: '/v1/providers', body: provider, ...options })
    },

    async update(id: string, changes: ProviderChanges, options?: CallOptions): Promise<Provider> {
      return send({ method: 'PATCH', path: path`/v1/providers/${id}`, body: changes, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/providers/${id}`, ...options })
    },

    /** Sends a test message now; the answer says how the service responded. */
    async test(id: string, message: TestMessage, options?: CallOptions): Promise<TestAnswer> {
      return send({ method: 'POST', path: path`/v1/providers/${id}/test`, body: message, ...options })
    },
  }
}
