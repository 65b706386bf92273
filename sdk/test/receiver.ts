/** A real HTTP server on loopback that records every request and answers from a script. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: unknown
}

export type Reply =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string> }
  /** Closes the connection without an answer. */
  | 'hang up'
  /** Never answers. */
  | 'silence'

export interface Receiver {
  url: string
  requests: Received[]
}

/** Gives the replies in order and repeats the last one. Ends with the test. */
export async function startReceiver(...replies: Reply[]): Promise<Receiver> {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    requests.push(await read(request))
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? {}
    if (reply === 'silence') return
    if (reply === 'hang up') {
      request.socket.destroy()
      return
    }
    const text = reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json))
    const type = reply.text === undefined ? 'application/json' : 'text/html'
    response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers }).end(text)
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise(closed => server.close(closed))
  return port
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}
