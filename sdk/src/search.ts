/** Search: where something is, by its id, its name or the beginning of it. */
import type { SearchAnswer } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

export function createSearch(send: Send) {
  return {
    /** At most 20 things of all kinds that the key may read. */
    find(q: string, options?: CallOptions): Promise<SearchAnswer> {
      return send({ method: 'GET', path: '/v1/search', query: { q }, ...options })
    },
  }
}
