/** Tells a caller how much of its limit is left (draft-ietf-httpapi-ratelimit-headers, the three separate fields). */
import type { FastifyReply } from 'fastify'

export interface LimitState {
  limit: number
  remaining: number
  resetMs: number
}

/** Where two limits apply, states the one that stops the caller first; of two used up, the one that lasts longer. */
export function setLimitHeaders(reply: FastifyReply, { limit, remaining, resetMs }: LimitState): void {
  const seconds = Math.ceil(resetMs / 1000)
  const stated = reply.getHeader('ratelimit-remaining')
  const isTighter = stated === undefined || remaining < Number(stated)
  const lastsLonger = remaining === Number(stated) && seconds > Number(reply.getHeader('ratelimit-reset'))
  if (!isTighter && !lastsLonger) return
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', remaining)
  reply.header('ratelimit-reset', seconds)
}
