/** Turns errors into problem+json (RFC 9457). One mapper for everything that is not a success. */
import { ERRORS, type ErrorCode, Problem } from '@carillon/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import { isUnavailableError, isValueError } from '../database/errors.ts'
import { createSerializer } from './answers.ts'

const serializeProblem = createSerializer(Problem)

export function answerWithProblems(app: FastifyInstance): void {
  const served: { methods: string[]; path: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const path = new RegExp(`^${url.replace(/:[^/]+/g, '[^/]+')}$`)
    served.push({ methods: [method].flat(), path })
  })
  const refuseUnserved = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split('?')
    const allowed = served.filter(route => route.path.test(path)).flatMap(route => route.methods)
    if (allowed.length === 0 || allowed.includes(request.method)) {
      throw new Refusal('not_found', `There is no ${request.method} ${path}.`)
    }
    reply.header('allow', allowed.join(', '))
    throw new Refusal('method_not_allowed', `${path} allows ${allowed.join(', ')}, not ${request.method}.`)
  }
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(refuseUnserved)
  // Before its body is read: nobody waits for one that has nowhere to go, or wonders about its type.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await refuseUnserved(request, reply)
  })
}

/** For errors in routes, and for those the framework meets before it has found a route. */
export function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(toRefusal(error, request), request, reply)
}

export function sendProblem(refusal: Refusal, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(refusal, request.id)
  reply.header('x-request-id', request.id)
  if (refusal.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if (refusal.code === 'unavailable') reply.header('retry-after', '1')
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', refusal.retryAfterSeconds)
  return reply.status(problem.status).type('application/problem+json').send(serializeProblem(problem))
}

export function toProblem(refusal: Refusal, requestId?: string): Problem {
  const { status, title } = ERRORS[refusal.code]
  return {
    type: `urn:carillon:problem:${refusal.code}`,
    code: refusal.code,
    title,
    status,
    detail: refusal.message,
    ...(refusal.errors && { errors: refusal.errors }),
    ...(requestId !== undefined && { request_id: requestId }),
  }
}

const FASTIFY_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid_request',
}

function toRefusal(error: FastifyError, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  const known = FASTIFY_CODES[error.code]
  if (known !== undefined) return new Refusal(known, error.message)
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new Refusal('invalid_request', error.message)
  }
  // Text that passed the schema but is refused by the database's own types, such as a cursor with an absurd date.
  if (isValueError(error)) {
    return new Refusal('invalid_request', 'The request contains a value that cannot be stored.')
  }
  if (isUnavailableError(error)) {
    request.log.error({ err: error }, 'database unavailable')
    return new Refusal(
      'unavailable',
      'The database does not answer. Nothing was lost: send the same request again.',
    )
  }
  request.log.error({ err: error }, 'request failed')
  return new Refusal(
    'internal',
    'The error was logged under the request id. Sending the request again with the same idempotency key is safe.',
  )
}
