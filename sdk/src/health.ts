/** Whether the process answers, and whether it can do its work. */
import type { Answer } from './errors.ts'
import { type CallOptions, readJson, type Send } from './http.ts'

export interface Readiness {
  ready: boolean
  /** The body of the answer. */
  report: unknown
}

/** Not repeated on failure: a health check asks about this moment. Neither call needs a key. */
export function createHealth(send: Send) {
  return {
    /** Whether the process answers at all. */
    live(options?: CallOptions): Promise<unknown> {
      return send({ method: 'GET', path: '/healthz', keyless: true, repeatable: false, ...options })
    },

    /** Whether the process can do its work; does not throw when it cannot. */
    ready(options?: CallOptions): Promise<Readiness> {
      return send({
        method: 'GET',
        path: '/readyz',
        keyless: true,
        repeatable: false,
        read: readReadiness,
        ...options,
      })
    },
  }
}

function readReadiness(answer: Answer): Readiness | undefined {
  const isAnswer = answer.status === 200 || answer.status === 503
  return isAnswer ? { ready: answer.status === 200, report: readJson(answer) } : undefined
}
