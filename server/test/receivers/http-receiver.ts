/** A real HTTP endpoint for tests: records every request and answers as instructed. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface ReceivedRequest {
  method: string
  /** With the query, exactly as in the request line. */
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** `hang` never answers; `reset` cuts the connection after the request was read. */
export type Answer =
  | 'hang'
  | 'reset'
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }

export interface HttpReceiver {
  readonly url: string
  /** In the order they arrived, including those that were never answered. */
  readonly requests: ReceivedRequest[]
  /** From now on the function decides every answer; until then it is 200 without a body. */
  answerWith(answer: (request: ReceivedRequest) => Answer | Promise<Answer>): void
  /** Connections opened so far, and how many of them are still open. */
  readonly connections: { opened: number; open: number }
  stop(): Promise<void>
}

export async function startHttpReceiver(): Promise<HttpReceiver> {
  const requests: ReceivedRequest[] = []
  let decide: (request: ReceivedRequest) => Answer | Promise<Answer> = () => ({})
  const connections = { opened: 0, open: 0 }

  const server = createServer((incoming, response) => {
    // A client that gives up in the middle of its request is a scenario here, not an error.
    receive(incoming, response).catch(() => response.destroy())
  })
  server.on('connection', socket => {
    connections.opened += 1
    connections.open += 1
    socket.once('close', () => {
      connections.open -= 1
    })
  })

  async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await record(incoming)
    requests.push(request)
    reply(await decide(request), response)
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/messages`,
    requests,
    answerWith(answer) {
      decide = answer
    },
    connections,
    stop() {
      const stopped = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      return stopped
    },
  }
}

async function record(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const body = await buffer(incoming)
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body }
}

function reply(answer: Answer, response: ServerResponse): void {
  if (answer === 'hang') return
  if (answer === 'reset') response.socket?.resetAndDestroy()
  else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
}
