import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAddressGuard } from '../../../platform/outgoing/address-guard.ts'
import type { Resolve } from '../../../platform/outgoing/connector.ts'
import type {
  HttpAnswer,
  HttpClient,
  HttpRequest,
  SendOptions,
} from '../../../platform/outgoing/http-client.ts'
import { createHttp2Client } from './http2-client.ts'
import { type HttpsReceiver, startHttpsReceiver } from './https-receiver.fixture.ts'
import { localhost } from './localhost.fixture.ts'

const guard = createAddressGuard(['127.0.0.0/8'])

let receiver: HttpsReceiver
let client: HttpClient
beforeEach(async () => {
  receiver = await startHttpsReceiver()
  client = createHttp2Client({ guard, tls: { ca: localhost.cert } })
})
afterEach(async () => {
  await client.close()
  await receiver.stop()
})

function post(request: Partial<HttpRequest> = {}, options: Partial<SendOptions> = {}): Promise<HttpAnswer> {
  return client.send(
    { method: 'POST', url: `${receiver.origin}/push?a=1`, body: '{"a":1}', ...request },
    { signal: new AbortController().signal, timeoutMs: 5000, ...options },
  )
}

describe('a request', () => {
  it('goes over HTTP/2 as given, and its answer comes back', async () => {
    receiver.answerWith(() => ({ status: 201, headers: { 'x-id': '7' }, body: 'ok' }))
    const answer = await post({ headers: { 'x-test': 'yes' } })
    expect(answer).toMatchObject({ status: 201, headers: { 'x-id': '7' }, body: 'ok' })
    expect(receiver.requests).toMatchObject([
      { httpVersion: '2.0', method: 'POST', path: '/push?a=1', headers: { 'x-test': 'yes' } },
    ])
    expect(String(receiver.requests[0]?.body)).toBe('{"a":1}')
  })

  it('shares one connection with a hundred others at once', async () => {
    receiver.answerWith(() => ({ afterMs: 50 }))
    const answers = await Promise.all(Array.from({ length: 100 }, () => post()))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(receiver.connections.opened).toBe(1)
  })

  it('never shares a connection with a request of another key', async () => {
    await Promise.all([
      post({ connectionKey: 'a' }),
      post({ connectionKey: 'b' }),
      post({ connectionKey: 'a' }),
    ])
    expect(receiver.connections.opened).toBe(2)
  })

  it('gets its answer even after a GOAWAY, and the next request gets a new connection', async () => {
    receiver.answerWith(() => ({ goAway: true, afterMs: 100 }))
    const answers = await Promise.all([post(), post()])
    receiver.answerWith(() => ({}))
    expect([...answers, await post()].map(({ status }) => status)).toEqual([200, 200, 200])
    expect(receiver.connections.opened).toBe(2)
  })

  it('gets a new connection when the last one was lost', async () => {
    receiver.answerWith(() => 'reset')
    await expect(post()).rejects.toMatchObject({ stage: 'uncertain' })
    receiver.answerWith(() => ({}))
    expect((await post()).status).toBe(200)
  })

  it('uses an idle connection that answers a ping, and replaces one that does not', async () => {
    const relay = await startRelay(Number(new URL(receiver.origin).port))
    const careful = createHttp2Client({ guard, tls: { ca: localhost.cert }, pingAfterIdleMs: 0 })
    const send = () =>
      careful.send(
        { method: 'POST', url: `https://127.0.0.1:${relay.port}/`, body: '' },
        { signal: new AbortController().signal, timeoutMs: 10_000 },
      )
    await send()
    await send()
    expect(receiver.connections.opened).toBe(1)
    relay.freeze()
    expect((await send()).status).toBe(200)
    expect(receiver.requests).toHaveLength(3)
    expect(receiver.connections.opened).toBe(2)
    await careful.close()
    relay.stop()
  })

  it('gets only the beginning of a body that is too long', async () => {
    receiver.answerWith(() => ({ body: 'x'.repeat(1_000_000) }))
    expect((await post({}, { maxAnswerBytes: 1000 })).body).toHaveLength(1000)
  })
})

describe('without an answer', () => {
  it('a silent server leaves the outcome uncertain, and the next request does not wait on the same connection', async () => {
    receiver.answerWith(() => 'hang')
    await expect(post({}, { timeoutMs: 200 })).rejects.toMatchObject({
      stage: 'uncertain',
      message: 'no answer within 200 ms (after the request was sent)',
    })
    receiver.answerWith(() => ({}))
    expect((await post()).status).toBe(200)
    expect(receiver.connections.opened).toBe(2)
  })

  it.each([
    ['a stream that ends without an answer', 'uncertain', 'cancel'],
    ['a refused stream', 'unsent', 'refuse'],
  ] as const)('%s is %s', async (_case, stage, answer) => {
    receiver.answerWith(() => answer)
    await expect(post()).rejects.toMatchObject({ stage })
  })

  it('an abort ends it at once, as uncertain', async () => {
    receiver.answerWith(() => 'hang')
    const controller = new AbortController()
    const sending = post({}, { signal: controller.signal })
    const outcome = expect(sending).rejects.toMatchObject({ stage: 'uncertain' })
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(0)
    controller.abort()
    await outcome
  })

  it('an abort beforehand sends nothing', async () => {
    await expect(post({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ stage: 'unsent' })
    expect(receiver.connections.opened).toBe(0)
  })

  it('a closed port is unsent', async () => {
    await receiver.stop()
    await expect(post()).rejects.toMatchObject({ stage: 'unsent' })
  })

  it('an untrusted certificate is a failure of its own', async () => {
    const stranger = createHttp2Client({ guard })
    const sending = stranger.send(
      { method: 'POST', url: receiver.origin, body: '' },
      { signal: new AbortController().signal, timeoutMs: 5000 },
    )
    await expect(sending).rejects.toMatchObject({ stage: 'tls' })
    await stranger.close()
  })
})

describe('the address guard', () => {
  const answering = (...addresses: string[]) =>
    ((
      _name: string,
      _options: unknown,
      callback: (error: null, all: { address: string; family: number }[]) => void,
    ) =>
      callback(
        null,
        addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
      )) as unknown as Resolve

  async function stageOf(url: string, resolve: Resolve): Promise<unknown> {
    const strict = createHttp2Client({ guard: createAddressGuard(), resolve, tls: { ca: localhost.cert } })
    const failure = await strict
      .send({ method: 'POST', url, body: '' }, { signal: new AbortController().signal, timeoutMs: 2000 })
      .catch(error => error)
    await strict.close()
    return failure.stage
  }

  it('refuses internal addresses, and names that resolve to them, before connecting', {
    tags: 'S002-22',
  }, async () => {
    const port = new URL(receiver.origin).port
    for (const url of [
      `https://127.0.0.1:${port}`,
      `https://[::ffff:7f00:1]:${port}`,
      `https://2130706433:${port}`,
    ]) {
      expect(await stageOf(url, answering('93.184.216.34'))).toBe('refused')
    }
    for (const addresses of [['127.0.0.1'], ['::1'], ['93.184.216.34', '127.0.0.1'], ['169.254.169.254']]) {
      expect(await stageOf(`https://push.example:${port}`, answering(...addresses))).toBe('refused')
    }
    expect(receiver.connections.opened).toBe(0)
  })

  it('connects to the very address that was checked', async () => {
    const names: string[] = []
    const resolving = createHttp2Client({
      guard,
      tls: { ca: localhost.cert },
      resolve: ((name: string, options: unknown, callback: never) => {
        names.push(name)
        ;(answering('127.0.0.1') as unknown as (...all: unknown[]) => void)(name, options, callback)
      }) as unknown as Resolve,
    })
    const url = receiver.origin.replace('127.0.0.1', 'localhost')
    const options = { signal: new AbortController().signal, timeoutMs: 5000 }
    expect((await resolving.send({ method: 'POST', url, body: '' }, options)).status).toBe(200)
    expect(names).toEqual(['localhost'])
    await resolving.close()
  })
})

describe('closing', () => {
  it('ends requests in progress and leaves nothing open', async () => {
    receiver.answerWith(() => 'hang')
    const outcome = expect(post()).rejects.toMatchObject({ stage: 'uncertain' })
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(0)
    await client.close()
    await outcome
    await client.close()
    await expect.poll(() => receiver.connections.open).toBe(0)
    await expect(post()).rejects.toMatchObject({ stage: 'unsent', message: 'the client is closed' })
  })
})

/** A proxy between client and server that drops connections silently, as a firewall does. */
async function startRelay(target: number) {
  const sockets = new Set<Socket>()
  const server = createServer(from => {
    const to = connect(target, '127.0.0.1')
    for (const socket of [from, to]) sockets.add(socket.on('error', () => {}))
    from.pipe(to).pipe(from)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      for (const socket of sockets) socket.unpipe().pause()
    },
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
