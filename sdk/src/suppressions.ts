/** Addresses to which nothing more is sent. */
import type { NewSuppression, Suppression, SuppressionQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'

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
