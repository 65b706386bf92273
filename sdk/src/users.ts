/** Users: recipients and operators, under the caller's own ids. */
import type { User, UserChanges, UserInput, UserQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createUsers(send: Send) {
  return {
    ...pagedList<User, (typeof UserQuery)['_output']>(send, '/v1/users'),

    async get(id: string, options?: CallOptions): Promise<User> {
      return send({ method: 'GET', path: path`/v1/users/${id}`, ...options })
    },

    /** Creates the user, or replaces it entirely. */
    async put(id: string, user: UserInput, options?: CallOptions): Promise<User> {
      return send({ method: 'PUT', path: path`/v1/users/${id}`, body: user, ...options })
    },

    /** Changes only the fields that are given; null clears one. */
    async update(id: string, changes: UserChanges, options?: CallOptions): Promise<User> {
      return send({ method: 'PATCH', path: path`/v1/users/${id}`, body: changes, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/users/${id}`, ...options })
    },
  }
}
