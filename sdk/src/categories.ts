/** Categories: what people switch on and off together, with the names they read. */
import type { Category, CategoryChanges, CategoryInput } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

export function createCategories(send: Send) {
  return {
    ...wholeList<Category>(send, '/v1/categories'),

    async get(category: string, options?: CallOptions): Promise<Category> {
      return send({ method: 'GET', path: path`/v1/categories/${category}`, ...options })
    },

    /** Creates the category, or replaces it entirely. */
    async put(category: string, input: CategoryInput = {}, options?: CallOptions): Promise<Category> {
      return send({ method: 'PUT', path: path`/v1/categories/${category}`, body: input, ...options })
    },

    /** Changes only the fields that are given. */
    async update(category: string, changes: CategoryChanges, options?: CallOptions): Promise<Category> {
      return send({ method: 'PATCH', path: path`/v1/categories/${category}`, body: changes, ...options })
    },

    /** Types and preferences that name it stay as they are. */
    async delete(category: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/categories/${category}`, ...options })
    },
  }
}
