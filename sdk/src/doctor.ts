/** The doctor: how the instance is. */
import type { Examination } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

export function createDoctor(send: Send) {
  return {
    /** Looks at the database, the machine and the work that waits; takes a few seconds. Needs the scope `instance`. */
    examine(options?: CallOptions): Promise<Examination> {
      return send({ method: 'GET', path: '/v1/doctor', ...options })
    },
  }
}
