/** Filters that people keep under a name. */
import type { SavedFilter, SavedFilterChanges, SavedFilterInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { path } from './path.ts'

export function createSavedFilters(send: Send) {
  const of = (userId: string) => ({ query: { user_id: userId } })
  return {
    async list(userId: string, options?: CallOptions): Promise<{ data: SavedFilter[] }> {
      return send({ method: 'GET', path: '/v1/saved-filters', ...of(userId), ...options })
    },

    /** Saves the filter, or replaces the one of that name. */
    async put(
      userId: string,
      name: string,
      input: SavedFilterInput,
      options?: CallOptions,
    ): Promise<SavedFilter> {
      return send({
        method: 'PUT',
        path: path`/v1/saved-filters/${name}`,
        body: input,
        ...of(userId),
        ...options,
      })
    },

    /** Changes only the fields that are given. */
    async update(
      userId: string,
      name: string,
      changes: SavedFilterChanges,
      options?: CallOptions,
    ): Promise<SavedFilter> {
      return send({
        method: 'PATCH',
        path: path`/v1/saved-filters/${name}`,
        body: changes,
        ...of(userId),
        ...options,
      })
    },

    async delete(userId: string, name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/saved-filters/${name}`, ...of(userId), ...options })
    },
  }
}
