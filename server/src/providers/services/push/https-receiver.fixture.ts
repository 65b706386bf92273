/** A real HTTP/2 endpoint with TLS for tests, which also speaks HTTP/1.1: it records requests and answers as told. */
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { ReceivedRequest } from '../../../../test/receivers/http-receiver.ts'
import { localhost } from './localhost.fixture.ts'

/**
 * `hang` never answers, `reset` cuts the connection, `refuse` refuses the stream unprocessed, `cancel` ends the stream
 * without an answer; with `goAway` it answers after announcing that the connection accepts no new requests.
 */
export type HttpsAnswer =
  | 'hang'
  | 'reset'
  | 'refuse'
  | 'cancel'
  | { status?: number; headers?: Record<string, string>; body?: string; goAway?: boolean; afterMs?: number }

export interface HttpsReceiver {
  readonly origin: string
  readonly requests: (ReceivedRequest & { httpVersion: string })[]
  answerWith(answer: (request: ReceivedRequest) => HttpsAnswer): void
  readonly connections: { opened: number; open: number }
  stop(): Promise<void>
}

const REFUSED_STREAM = 7
const CANCEL = 8

export async function startHttpsReceiver(): Promise<HttpsReceiver> {
  const requests: HttpsReceiver['requests'] = []
  const sockets = new Set<Socket>()
  const connections = { opened: 0, open: 0 }
  let decide: (request: ReceivedRequest) => HttpsAnswer = () => ({})

  const server = createSecureServer({ ...localhost, allowHTTP1: true }, (incoming, response) => {
    receive(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', (socket: Socket) => {
    connections.opened += 1
    connections.open += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      connections.open -= 1
      sockets.delete(socket)
    })
  })
  // A client that goes away in the middle is a scenario here, not an error.
  server.on('sessionError', () => {})

  async function receive(incoming: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const { method, url: path, headers, httpVersion } = incoming
    const request = { method, path, headers, httpVersion, body: await buffer(incoming) }
    requests.push(request)
    await play(decide(request), response)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    origin: `https://127.0.0.1:${port}`,
    requests,
    answerWith(answer) {
      decide = answer
    },
    connections,
    stop() {
      const stopped = new Promise<void>(resolve => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return stopped
    },
  }
}

async function play(answer: HttpsAnswer, response: Http2ServerResponse): Promise<void> {
  if (answer === 'hang') return
  if (answer === 'reset') return void response.stream.session?.destroy()
  if (answer === 'refuse') return void response.stream.close(REFUSED_STREAM)
  if (answer === 'cancel') return void response.stream.close(CANCEL)
  if (answer.goAway) response.stream.session?.goaway()
  if (answer.afterMs) await new Promise(resolve => setTimeout(resolve, answer.afterMs))
  response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '')
}
