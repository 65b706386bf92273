/** Runs of scripts: what they logged, did and gave back. */
import type { Run, RunDetail, RunQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createRuns(send: Send) {
  return {
    ...pagedList<Run, RunQuery>(send, '/v1/runs'),

    async get(id: string, options?: CallOptions): Promise<RunDetail> {
      return send({ method: 'GET', path: path`/v1/runs/${id}`, ...options })
    },
  }
}
