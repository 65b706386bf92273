/** What operators look at: malformed intents, captured messages, system events, health. */
import type {
  CapturedMessage,
  CapturedMessageQuery,
  MalformedIntent,
  MalformedIntentQuery,
  ResolveSystemEvent,
  SystemEvent,
  SystemEventQuery,
} from '@carillon/contract'
import type { Answer } from './errors.ts'
import { type CallOptions, readJson, type Send } from './http.ts'
import { pagedList } from './pages.ts'
import { path } from './path.ts'

export function createMalformedIntents(send: Send) {
  return pagedList<MalformedIntent, MalformedIntentQuery>(send, '/v1/malformed-intents')
}

export function createCapturedMessages(send: Send) {
  return pagedList<CapturedMessage, CapturedMessageQuery>(send, '/v1/captured-messages')
}

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
