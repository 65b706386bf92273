/** Limits: whether something may be tried once more. */
import type { LimitAnswer, LimitCheck } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'

export function createLimits(send: Send) {
  return {
    /** Counts a try. Does not throw when it is not allowed. Never repeated automatically: it would count twice. */
    check(check: LimitCheck, options?: CallOptions): Promise<LimitAnswer> {
      return send({ method: 'POST', path: '/v1/limits/check', body: check, ...options })
    },
  }
}
