/** Whether the process answers, and whether it can work. */
import type { Answer } from './errors.ts'
import { type CallOptions, readJson, type Send } from './http.ts'

export interface Readiness {
  ready: boolean
  /** What the process says about itself. */
  report: unknown
}

/** Not repeated on failure: a health check asks how things are now. Neither needs a key. */
export function createHealth(send: Send) {
  return {
    /** Whether the process answers at all. */
    live(options?: CallOptions): Promise<unknown> {
      return send({ method: 'GET', path: '/healthz', repeatable: false, ...options })
    },

    /** Whether the process can do its work; "no" is an answer and does not throw. */
    ready(options?: CallOptions): Promise<Readiness> {
      return send({ method: 'GET', path: '/readyz', repeatable: false, read: readReadiness, ...options })
    },
  }
}

function readReadiness(answer: Answer): Readiness | undefined {
  const isAnswer = answer.status === 200 || answer.status === 503
  return isAnswer ? { ready: answer.status === 200, report: readJson(answer) } : undefined
}
