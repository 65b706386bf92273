/** Tells a caller how much of its limit is left (draft-ietf-httpapi-ratelimit-headers, the three separate fields). */
import type { FastifyReply } from 'fastify'

export interface LimitState {
  limit: number
  remaining: number
  resetMs: number
}

/** Where two limits apply, the one that will stop the caller first. */
export function tellLimit(reply: FastifyReply, { limit, remaining, resetMs }: LimitState): void {
  const told = reply.getHeader('ratelimit-remaining')
  if (told !== undefined && Number(told) <= remaining) return
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', remaining)
  reply.header('ratelimit-reset', Math.ceil(resetMs / 1000))
}
