/** Whether the caller of a request is still there. */
import type { FastifyReply } from 'fastify'

/** Aborts when the connection is lost before the answer was sent. */
export function callerOf(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) left.abort()
  })
  return left.signal
}
