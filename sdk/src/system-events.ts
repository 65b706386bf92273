/** System events: conditions that operators should know about. */
import type { NewSystemEvent, ResolveSystemEvent, SystemEvent, SystemEventQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createSystemEvents(send: Send) {
  return {
    ...pagedList<SystemEvent, SystemEventQuery>(send, '/v1/system-events'),

    /** Raises an event, or counts it on the open one of the type and subject. */
    async raise(event: NewSystemEvent, options?: CallOptions): Promise<SystemEvent> {
      return send({ method: 'POST', path: '/v1/system-events', body: event, ...options })
    },

    async resolve(id: number, by: ResolveSystemEvent = {}, options?: CallOptions): Promise<SystemEvent> {
      return send({
        method: 'POST',
        path: path`/v1/system-events/${String(id)}/resolve`,
        body: by,
        ...options,
      })
    },
  }
}
