/**
 * HTTP/2 for services that speak nothing else, built on node:http2 and behind the same address guard. Undici's HTTP/2
 * (7.30) sends one POST at a time per connection (50 at once took 5 s instead of 0.1 s) unless they are declared
 * idempotent. Then, when the server sends GOAWAY, it fails one request in progress and repeats the others, although
 * they may have been delivered. It also keeps using a connection that has gone silent.
 */
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2'
import { type Deadline, startDeadline } from '../../../platform/outgoing/deadline.ts'
import {
  type HttpAnswer,
  type HttpClient,
  HttpFailure,
  type HttpRequest,
  MAX_ANSWER_BYTES,
  toFailure,
} from '../../../platform/outgoing/http-client.ts'
import { decodeStart } from '../../../platform/text/cut.ts'
import { createHttp2Sessions, type SessionOptions } from './http2-sessions.ts'

export function createHttp2Client(options: SessionOptions): HttpClient {
  const sessions = createHttp2Sessions(options)

  async function attempt(request: HttpRequest, target: URL, deadline: Deadline, limit: number) {
    const session = await deadline.race(sessions.get(target.origin, request.connectionKey ?? ''))
    const stream = session.request({
      ':method': request.method,
      ':path': `${target.pathname}${target.search}`,
      ...request.headers,
    })
    const cancel = () => stream.close(constants.NGHTTP2_CANCEL)
    deadline.signal.addEventListener('abort', cancel, { once: true })
    try {
      stream.end(request.body)
      return await readAnswer(await deadline.race(responseOn(stream)), stream, limit)
    } catch (error) {
      // A silent connection may be dead, so the next request gets a new one.
      if (deadline.signal.aborted) sessions.retire(session)
      throw toFailure(error as NodeJS.ErrnoException, hasLeft(stream) && request.method !== 'GET')
    } finally {
      deadline.signal.removeEventListener('abort', cancel)
    }
  }

  return {
    async send(request, { signal, timeoutMs, maxAnswerBytes = MAX_ANSWER_BYTES }) {
      const target = new URL(request.url)
      const objection = options.guard.objectsTo(target)
      if (objection !== undefined) throw new HttpFailure('refused', objection)
      if (signal.aborted) throw new HttpFailure('unsent', 'the attempt was aborted before it began')
      const deadline = startDeadline(signal, timeoutMs)
      try {
        return await attempt(request, target, deadline, maxAnswerBytes)
      } catch (error) {
        throw error instanceof HttpFailure ? error : toFailure(error as NodeJS.ErrnoException, false)
      } finally {
        deadline.clear()
      }
    },
    close: () => sessions.close(),
  }
}

/** By refusing a stream, the server says that it has not processed the request. */
function hasLeft(stream: ClientHttp2Stream): boolean {
  return !stream.pending && stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM
}

function responseOn(stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve)
    stream.on('error', reject)
    // A stream may end without an error and without an answer.
    stream.once('close', () => reject(new Error('the connection was closed')))
  })
}

/** The status decides, so a body that is too long or incomplete is simply cut. */
async function readAnswer(
  received: IncomingHttpHeaders,
  stream: ClientHttp2Stream,
  limit: number,
): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let length = 0
  let brokenOff: string | undefined
  try {
    for await (const chunk of stream) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= limit) break
    }
  } catch (error) {
    brokenOff = (error as Error).message
  }
  const { ':status': status, ...headers } = received
  return {
    status: Number(status),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body: decodeStart(Buffer.concat(chunks), limit),
    ...(brokenOff !== undefined && { brokenOff }),
  }
}
