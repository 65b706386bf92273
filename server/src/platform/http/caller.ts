/** Whether the caller of a request is still there. */
import type { FastifyReply } from 'fastify'

/** Aborts when the connection is lost before the answer was sent, also if that was before this was asked. */
export function callerOf(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!reply.raw.writableEnded) left.abort()
  }
  if (reply.raw.destroyed) leave()
  else reply.raw.once('close', leave)
  return left.signal
}
