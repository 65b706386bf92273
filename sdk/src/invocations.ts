/** Running scripts on request, and results that came after their caller had left. */
import type {
  AbandonedExecution,
  AbandonedExecutionQuery,
  InvocationAccepted,
  InvocationResult,
  InvokeScript,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

type Input = Pick<InvokeScript, 'input'>

/** A script may run for a minute; the server answers two seconds later at the latest. */
const LONGEST_MS = 65_000

export function createInvocations(send: Send) {
  return {
    /** Waits for the result. Throws with the code script_failed, script_timeout and the like when there is none. */
    async invoke(id: string, input: Input = {}, options?: CallOptions): Promise<InvocationResult> {
      return send({
        method: 'POST',
        path: path`/v1/scripts/${id}/invoke`,
        body: { ...input, mode: 'sync' },
        atLeastMs: LONGEST_MS,
        ...options,
      })
    },

    /** Does not wait: it is retried like what triggers run, and `runs.list({ event_id: execution_id })` shows it. */
    async invokeLater(id: string, input: Input = {}, options?: CallOptions): Promise<InvocationAccepted> {
      return send({
        method: 'POST',
        path: path`/v1/scripts/${id}/invoke`,
        body: { ...input, mode: 'async' },
        ...options,
      })
    },
  }
}

export function createAbandonedExecutions(send: Send) {
  return pagedList<AbandonedExecution, AbandonedExecutionQuery>(send, '/v1/abandoned-executions')
}
