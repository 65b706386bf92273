/**
 * Requests that never reach a route, because they are too slow, too large or not HTTP. They are answered with a problem
 * like all others, though mostly on the bare socket.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '@carillon/contract'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import { answerError, toProblem } from './problem.ts'

const PROBLEM = 'application/problem+json'

const BROKEN: Record<string, [ErrorCode, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    'The whole request did not arrive in time. Send it again, faster.',
  ],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers take more than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload_too_large', 'The extensions of a chunk are too large.'],
}

/** For Node's `clientError`: the parser has given up on this connection. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  // After a reset there is nobody left to answer.
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [code, detail] = BROKEN[error.code ?? ''] ?? ['invalid_request', 'This is not a valid HTTP request.']
  endWithProblem(socket, new Refusal(code, detail))
}

export function answerProtocolErrors(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', async () => {
    isClosing = true
  })
  app.addHook('onRequest', async request => {
    if (isClosing) throw new Refusal('unavailable', 'This process is stopping. Send the request again.')
    refuseWithoutHost(request)
  })
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = toProblem(
      new Refusal('invalid_request', 'The only expectation met here is 100-continue.'),
    )
    const body = JSON.stringify(problem)
    const length = Buffer.byteLength(body)
    response.writeHead(problem.status, {
      'content-type': PROBLEM,
      'content-length': length,
      connection: 'close',
    })
    response.end(body)
  })
  app.server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    endWithProblem(socket, new Refusal('invalid_request', 'This is not a proxy: CONNECT is not served.')),
  )
}

/**
 * For what the framework meets before it has found a route. Somebody who typed a percent sign into the address of a page
 * meant the sign itself, and is sent there: a problem would say nothing to them.
 */
export function answerFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isPage = request.method === 'GET' && request.headers.accept?.includes('text/html')
  // With two slashes it would lead to another host.
  const isHere = /^\/[^/\\]/.test(request.url)
  if (error.code !== 'FST_ERR_BAD_URL' || !isPage || !isHere) return answerError(error, request, reply)
  return reply.redirect(withEscapedPercent(request.url), 302)
}

function withEscapedPercent(address: string): string {
  const escaped = address.replace(/%(?![\da-f]{2})/gi, '%25')
  try {
    decodeURI(escaped)
    return escaped
  } catch {
    return address.replaceAll('%', '%25')
  }
}

/** Checked here, because Node's own check answers with nothing but a status. */
function refuseWithoutHost({ raw }: FastifyRequest): void {
  const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts === 1 || (hosts === 0 && raw.httpVersion !== '1.1')) return
  throw new Refusal('invalid_request', 'A request needs exactly one Host header.')
}

function endWithProblem(socket: Duplex, refusal: Refusal): void {
  const problem = toProblem(refusal)
  const body = JSON.stringify(problem)
  const lines = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${PROBLEM}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  if (socket.writable) socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy()
}
