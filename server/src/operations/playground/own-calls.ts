/**
 * Lets the playground use the API as any client does: by its routes, so that everything is validated, limited and audited
 * as usual, and what it does is exactly what the code to copy does. Each call has a key of its own that nobody else ever
 * sees and that ends with it.
 */
import { randomBytes } from 'node:crypto'
import type { Problem } from '@carillon/contract'
import type { FastifyInstance } from 'fastify'
import type { Principal } from '../../platform/calls/principal.ts'
import { Refusal } from '../../platform/calls/refusal.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Calls for one visitor. Each resolves to the answer, or throws the refusal that the API gave. */
export interface OwnCalls {
  get<Answer>(path: string): Promise<Answer>
  post<Answer>(path: string, body: object): Promise<Answer>
  put(path: string, body: object): Promise<void>
  /** Whether there was something to delete. */
  remove(path: string): Promise<boolean>
}

export interface OwnCaller {
  /** Whoever calls with a key of ours; undefined for anybody else's. */
  recognise(key: string): Principal | undefined
  callsOf(inject: FastifyInstance['inject'], principal: Principal, address: string): OwnCalls
}

export function createOwnCaller(): OwnCaller {
  const callers = new Map<string, Principal>()
  return {
    recognise: key => callers.get(key),
    callsOf(inject, principal, address) {
      async function call(method: Method, url: string, body?: object) {
        const key = `own_${randomBytes(32).toString('base64url')}`
        callers.set(key, principal)
        try {
          const answer = await inject({
            ...{ method, url, remoteAddress: address },
            headers: { authorization: `Bearer ${key}`, 'user-agent': 'playground' },
            ...(body !== undefined && { payload: body }),
          })
          if (answer.statusCode >= 400) throw refusalOf(answer.json())
          return answer.body === '' ? null : answer.json()
        } finally {
          callers.delete(key)
        }
      }
      return {
        get: path => call('GET', path),
        post: (path, body) => call('POST', path, body),
        put: (path, body) => call('PUT', path, body),
        remove: path =>
          call('DELETE', path).then(
            () => true,
            error => {
              if (error instanceof Refusal && error.code === 'not_found') return false
              throw error
            },
          ),
      }
    },
  }
}

function refusalOf({ code, detail, errors }: Problem): Refusal {
  return new Refusal(code, detail, errors)
}
