/** Tells a caller how much of its limit is left (draft-ietf-httpapi-ratelimit-headers, the three separate fields). */
import type { FastifyReply } from 'fastify'

export interface LimitState {
  limit: number
  remaining: number
  resetMs: number
}

/** Where two limits apply, the one that stops the caller first; of two that are used up, the one that lasts longer. */
export function tellLimit(reply: FastifyReply, { limit, remaining, resetMs }: LimitState): void {
  const seconds = Math.ceil(resetMs / 1000)
  const told = reply.getHeader('ratelimit-remaining')
  const isTighter = told === undefined || remaining < Number(told)
  const lastsLonger = remaining === Number(told) && seconds > Number(reply.getHeader('ratelimit-reset'))
  if (!isTighter && !lastsLonger) return
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', remaining)
  reply.header('ratelimit-reset', seconds)
}
