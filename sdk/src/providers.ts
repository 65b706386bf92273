/** Providers, the devices and addresses they reach, and addresses that get nothing more. */
import type {
  Device,
  DeviceInput,
  NewProvider,
  NewSuppression,
  Provider,
  ProviderChanges,
  ProviderKindInfo,
  Suppression,
  SuppressionQuery,
  TestAnswer,
  TestMessage,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList, wholeList } from './pages.ts'
import { path } from './path.ts'

export function createProviders(send: Send) {
  return {
    ...wholeList<Provider>(send, '/v1/providers'),

    /** What can be configured, with the JSON Schemas of its settings. */
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

    /** Sends a test message now; the answer says what the service said. */
    async test(id: string, message: TestMessage, options?: CallOptions): Promise<TestAnswer> {
      return send({ method: 'POST', path: path`/v1/providers/${id}/test`, body: message, ...options })
    },
  }
}

export function createDevices(send: Send) {
  return {
    async list(userId: string, options?: CallOptions): Promise<{ data: Device[] }> {
      return send({ method: 'GET', path: path`/v1/users/${userId}/devices`, ...options })
    },

    async register(userId: string, device: DeviceInput, options?: CallOptions): Promise<Device> {
      return send({ method: 'POST', path: path`/v1/users/${userId}/devices`, body: device, ...options })
    },

    async delete(userId: string, id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/users/${userId}/devices/${id}`, ...options })
    },
  }
}

export function createSuppressions(send: Send) {
  return {
    ...pagedList<Suppression, Partial<SuppressionQuery>>(send, '/v1/suppressions'),

    async add(suppression: NewSuppression, options?: CallOptions): Promise<Suppression> {
      return send({ method: 'POST', path: '/v1/suppressions', body: suppression, ...options })
    },

    async remove(channel: Suppression['channel'], address: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: '/v1/suppressions', query: { channel, address }, ...options })
    },
  }
}
