/** Requests that no route ever sees: too slow, too large, or not HTTP. Spoken over a socket, as clients could not. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { ERRORS, Problem } from '@carillon/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type App, createHttpServer } from './server.ts'

const logged: string[] = []
let app: App

beforeAll(async () => {
  app = await createHttpServer({
    log: pino({ level: 'warn' }, { write: line => logged.push(line) }),
    authenticate: async () => undefined,
    requestTimeoutMs: 50,
  })
  const schema = { body: z.unknown(), response: { 200: z.string() } }
  app.post('/echo', { config: { scope: 'public', unaudited: 'a test' }, schema }, async () => 'reached')
  await app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => app.close())

/** Sends the text and gives everything that comes until the server closes the connection. */
async function speak(text: string): Promise<{ status: number; body: string; head: string }> {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', chunk => {
    answer += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body, head }
}

const POST = 'POST /echo HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
const close = 'connection: close\r\n'

describe('a request that breaks the protocol', () => {
  it.each([
    ['a body that never ends', `${POST}content-length: 10\r\n\r\n{`, 'request_timeout'],
    [
      'a chunked body that never ends',
      `${POST}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`,
      'request_timeout',
    ],
    ['headers that never end', 'GET /echo HTTP/1.1\r\nhost: a\r\n', 'request_timeout'],
    ['headers beyond all measure', `${POST}x: ${'x'.repeat(20_000)}\r\n\r\n`, 'headers_too_large'],
    ['no HTTP', 'hello\r\n\r\n', 'invalid_request'],
    ['an unknown method', `BREW /echo HTTP/1.1\r\nhost: a\r\n${close}\r\n`, 'invalid_request'],
    ['a method without a route', `QUERY /echo HTTP/1.1\r\nhost: a\r\n${close}\r\n`, 'method_not_allowed'],
    ['a method without any route', `PROPFIND /x HTTP/1.1\r\nhost: a\r\n${close}\r\n`, 'not_found'],
    ['no host', `GET /echo HTTP/1.1\r\n${close}\r\n`, 'invalid_request'],
    ['two hosts', `GET /echo HTTP/1.1\r\nhost: a\r\nHost: b\r\n${close}\r\n`, 'invalid_request'],
    [
      'a compressed body',
      `${POST}content-encoding: gzip\r\n${close}content-length: 2\r\n\r\n{}`,
      'unsupported_media_type',
    ],
    ['two lengths', `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\n{}`, 'invalid_request'],
    [
      'a length and chunks',
      `${POST}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`,
      'invalid_request',
    ],
    ['an expectation', `${POST}expect: magic\r\n${close}content-length: 2\r\n\r\n{}`, 'invalid_request'],
    ['a tunnel', `CONNECT a:1 HTTP/1.1\r\nhost: a\r\n${close}\r\n`, 'invalid_request'],
    [
      'an unknown protocol',
      `GET /x HTTP/1.1\r\nhost: a\r\nupgrade: x\r\nconnection: upgrade, close\r\n\r\n`,
      'not_found',
    ],
  ] as const)('is answered with a problem: %s', async (_name, text, code) => {
    const { status, body, head } = await speak(text)
    expect([status, head]).toEqual([
      ERRORS[code].status,
      expect.stringMatching(/content-type: application\/problem\+json/i),
    ])
    expect(Problem.parse(JSON.parse(body))).toMatchObject({ code })
  })

  it('leaves no errors in the log', () => {
    expect(logged).toEqual([])
  })
})
