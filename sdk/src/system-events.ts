/** System events: conditions that operators should know about. */
import type { ResolveSystemEvent, SystemEvent, SystemEventQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createSystemEvents(send: Send) {
  return {
    ...pagedList<SystemEvent, SystemEventQuery>(send, '/v1/system-events'),

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
