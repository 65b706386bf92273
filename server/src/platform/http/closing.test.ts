import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { waitFor } from '../../../test/wait-for.ts'
import { createHttpServer } from './server.ts'

const LONG_MS = 600_000

async function serve(closingMs = LONG_MS) {
  let release = () => {}
  let asked = 0
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const log = pino({ level: 'silent' })
  const app = await createHttpServer({ log, authenticate: async () => undefined, closingMs })
  const schema = { response: { 200: z.string() } }
  app.get('/slow', { config: { scope: 'public' }, schema }, async () => {
    asked++
    await released
    return 'at last'
  })
  const config = { scope: 'public', unaudited: 'a test' } as const
  app.post('/echo', { config, schema: { ...schema, body: z.unknown() } }, async () => 'heard')
  const closing = new Promise<void>(resolve => app.addHook('preClose', async () => resolve()))
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as AddressInfo

  /** A client that says this and no more; resolves when the server knows it. */
  async function speak(text: string) {
    const connected = once(app.server, 'connection')
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    onTestFinished(() => void socket.destroy())
    socket.write(text)
    await connected
  }
  return { app, port, speak, closing, release: () => release(), asked: () => asked }
}

it('answers what is in hand when it closes, and keeps no connection for its client', async () => {
  const { app, port, closing, release, asked } = await serve()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const answered = once(get({ host: '127.0.0.1', port, path: '/slow', agent }), 'response')
  await waitFor(async () => asked() === 1, { what: 'the request' })
  const closed = app.close()
  await closing
  release()
  const [answer] = (await answered) as [IncomingMessage]
  expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close'])
  await closed
})

it.each([
  ['nothing', ''],
  ['the start of a request', 'GET /slow HTTP/1.1\r\nhost: a\r\n'],
])('does not wait for a client that has sent %s', async (_what, text) => {
  const { app, speak } = await serve()
  await speak(text)
  await app.close()
})

it('waits for a body that does not come only so long', async () => {
  const { app, speak } = await serve(50)
  const begun = once(app.server, 'request')
  await speak('POST /echo HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n{')
  await begun
  await app.close()
})
