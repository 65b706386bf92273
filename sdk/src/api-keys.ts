/** API keys: list, create and revoke them. */
import type { ApiKey, ApiKeyQuery, CreatedApiKey, NewApiKey } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createApiKeys(send: Send) {
  return {
    ...pagedList<ApiKey, ApiKeyQuery>(send, '/v1/api-keys'),

    /** The answer contains the key itself, which cannot be read again. */
    create(key: NewApiKey, options?: CallOptions): Promise<CreatedApiKey> {
      return send({ method: 'POST', path: '/v1/api-keys', body: key, ...options })
    },

    /** The key stops working; its row stays for the audit log. */
    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/api-keys/${id}`, ...options })
    },
  }
}
