/** Triggers: what has to happen for a script to run. */
import type {
  CreatedHttpTrigger,
  CreatedTrigger,
  NewTrigger,
  Trigger,
  TriggerChanges,
  TriggerQuery,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createTriggers(send: Send) {
  return {
    ...pagedList<Trigger, TriggerQuery>(send, '/v1/triggers'),

    async get(id: string, options?: CallOptions): Promise<Trigger> {
      return send({ method: 'GET', path: path`/v1/triggers/${id}`, ...options })
    },

    /** It runs as whoever owns the key of this client. The answer for an http trigger has its url, for the only time. */
    async create(trigger: NewTrigger, options?: CallOptions): Promise<CreatedTrigger> {
      return send({ method: 'POST', path: '/v1/triggers', body: trigger, ...options })
    },

    /** With another script, configuration or mode, it runs as whoever owns the key of this client from then on. */
    async update(id: string, changes: TriggerChanges, options?: CallOptions): Promise<Trigger> {
      return send({ method: 'PATCH', path: path`/v1/triggers/${id}`, body: changes, ...options })
    },

    async delete(id: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: path`/v1/triggers/${id}`, ...options })
    },

    /** Gives an http trigger another url; the old one stops working at once. */
    async rotateUrl(id: string, options?: CallOptions): Promise<CreatedHttpTrigger> {
      return send({ method: 'POST', path: path`/v1/triggers/${id}/rotate-url`, ...options })
    },
  }
}
