import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { startSmtpReceiver } from '../../../test/receivers/smtp-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createAddressGuard } from './address-guard.ts'
import {
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  type SendOptions,
  toFailure,
} from './http-client.ts'

const guard = createAddressGuard(['127.0.0.0/8'])

let receiver: HttpReceiver
let client: HttpClient
beforeEach(async () => {
  receiver = await startHttpReceiver()
  client = createHttpClient({ guard })
})
afterEach(async () => {
  await client.close()
  await receiver.stop()
})

function send(
  request: Partial<HttpRequest> = {},
  options: Partial<SendOptions> = {},
  through = client,
): Promise<HttpAnswer> {
  return through.send(
    { method: 'POST', url: receiver.url, body: 'hello', ...request },
    { signal: new AbortController().signal, timeoutMs: 5000, ...options },
  )
}

describe('a request', () => {
  it('arrives as given, and its answer comes back', async () => {
    receiver.answerWith(() => ({
      status: 202,
      headers: { 'X-Id': '7', 'set-cookie': 'a=1' },
      body: 'grüezi',
    }))
    const answer = await send({ url: `${receiver.url}?a=b`, headers: { 'x-test': 'yes' }, body: 'hällo' })
    expect(answer).toMatchObject({ status: 202, headers: { 'x-id': '7' }, body: 'grüezi' })
    expect(receiver.requests).toMatchObject([
      { method: 'POST', path: '/messages?a=b', headers: { 'x-test': 'yes', 'content-length': '6' } },
    ])
    expect(String(receiver.requests[0]?.body)).toBe('hällo')
  })

  it('does not wait for others to the same origin that hang', async () => {
    const crowd = 300
    receiver.answerWith(request => (request.path === '/hangs' ? 'hang' : { status: 200 }))
    const leaving = new AbortController()
    const hanging = Array.from({ length: crowd }, () =>
      send({ url: new URL('/hangs', receiver.url) }, { signal: leaving.signal, timeoutMs: 60_000 }).catch(
        () => {},
      ),
    )
    await waitFor(async () => receiver.requests.length === crowd, { what: 'all of them to hang' })
    expect((await send()).status).toBe(200)
    leaving.abort()
    await Promise.all(hanging)
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const)('%s needs no body', async method => {
    const answer = await client.send(
      { method, url: receiver.url },
      { signal: new AbortController().signal, timeoutMs: 5000 },
    )
    expect(answer.status).toBe(200)
    expect(receiver.requests).toMatchObject([{ method, body: Buffer.alloc(0) }])
    expect(receiver.requests[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it('is answered once: redirects are not followed', async () => {
    receiver.answerWith(() => ({ status: 307, headers: { location: `${receiver.url}/elsewhere` } }))
    expect(await send()).toMatchObject({ status: 307, headers: { location: `${receiver.url}/elsewhere` } })
    expect(receiver.requests).toHaveLength(1)
  })

  it('goes over a connection that was used before', async () => {
    for (let i = 0; i < 10; i += 1) await send()
    expect(receiver.connections.opened).toBeLessThanOrEqual(2)
  })

  it.each([
    ['a line break', 'a\r\nx-admin: yes'],
    ['a null', 'a\0b'],
  ])('with %s in a header is no request, and no later attempt would help', async (_case, value) => {
    const failure = await send({ headers: { 'x-test': value } }).catch(error => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toHaveProperty('stage')
    expect(receiver.requests).toEqual([])
  })
})

describe('an answer', () => {
  it('that is too long is cut', async () => {
    receiver.answerWith(() => ({ body: 'x'.repeat(5_000_000) }))
    expect((await send()).body).toHaveLength(32 * 1024)
    expect((await send({}, { maxAnswerBytes: 10 })).body).toBe('x'.repeat(10))
  })

  it('that never ends is left after its beginning', async () => {
    const server = await startServer((_path, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      }
      response.on('drain', more)
      more()
    })
    // longer than the test may take, so that it is not the time that ends it
    expect((await send({ url: server.origin }, { timeoutMs: 3_600_000 })).body).toHaveLength(32 * 1024)
    server.stop()
  })

  it('counts by its status when its body stops coming or breaks off, and says so', async () => {
    const server = await startServer((how, end) => {
      end.writeHead(201, { 'content-length': '100' })
      // Breaks off once the beginning is on its way.
      end.write('begin', () => how === '/break' && end.destroy())
    })
    for (const path of ['/stall', '/break']) {
      const answer = await send({ url: `${server.origin}${path}` }, { timeoutMs: 500 })
      expect(answer).toMatchObject({ status: 201, body: 'begin', brokenOff: expect.any(String) })
    }
    server.stop()
  })
})

describe('a failure says how far the request came', { tags: 'S002-22' }, () => {
  it('a silent receiver is uncertain once the time is over', async () => {
    receiver.answerWith(() => 'hang')
    await expect(send({}, { timeoutMs: 300 })).rejects.toMatchObject({
      name: 'HttpFailure',
      stage: 'uncertain',
      message: 'no answer within 300 ms (after the request was sent)',
    })
  })

  it.each(['POST', 'DELETE'] as const)('a connection cut after a %s was read is uncertain', async method => {
    receiver.answerWith(() => 'reset')
    await expect(send({ method })).rejects.toMatchObject({ stage: 'uncertain' })
  })

  it('also without a body', async () => {
    receiver.answerWith(() => 'reset')
    const request = { method: 'POST' as const, url: receiver.url }
    const options = { signal: new AbortController().signal, timeoutMs: 5000 }
    await expect(client.send(request, options)).rejects.toMatchObject({ stage: 'uncertain' })
    await receiver.stop()
    await expect(client.send(request, options)).rejects.toMatchObject({ stage: 'unsent' })
  })

  it('an unanswered GET is unsent, as it changes nothing', async () => {
    receiver.answerWith(() => 'reset')
    await expect(send({ method: 'GET' })).rejects.toMatchObject({ stage: 'unsent' })
  })

  it('no file left for another connection is our own trouble, a closed port is not', () => {
    const fail = (code: string) => toFailure(Object.assign(new Error(code), { code }), false)
    expect(fail('EMFILE')).toMatchObject({ stage: 'unsent', isOwn: true })
    expect(fail('ECONNREFUSED')).toMatchObject({ stage: 'unsent', isOwn: false })
  })

  it('a closed port is unsent', async () => {
    await receiver.stop()
    await expect(send()).rejects.toMatchObject({
      stage: 'unsent',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it('a connection that cannot be established is unsent', async () => {
    const waiting = createHttpClient({ guard, connect: () => () => {} })
    await expect(send({}, { timeoutMs: 200 }, waiting)).rejects.toMatchObject({
      stage: 'unsent',
      message: 'no answer within 200 ms',
    })
    await waiting.close()
  })

  it('a certificate nobody vouches for, and a port without TLS, are told apart', async () => {
    const tls = await startSmtpReceiver({ tls: 'implicit' })
    await expect(send({ url: tls.url.replace('smtps:', 'https:') })).rejects.toMatchObject({ stage: 'tls' })
    await tls.stop()
    await expect(send({ url: receiver.url.replace('http:', 'https:') })).rejects.toMatchObject({
      stage: 'tls',
    })
  })

  it('an address the guard refuses is refused, whoever aborts', async () => {
    const strict = createHttpClient({ guard: createAddressGuard() })
    for (const signal of [new AbortController().signal, AbortSignal.abort()]) {
      await expect(send({}, { signal }, strict)).rejects.toMatchObject({ stage: 'refused' })
    }
    expect(receiver.connections.opened).toBe(0)
    await strict.close()
  })
})

describe('an abort', () => {
  it('beforehand sends nothing', async () => {
    await expect(send({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ stage: 'unsent' })
    expect(receiver.connections.opened).toBe(0)
  })

  it('in the middle ends it at once, as uncertain', async () => {
    receiver.answerWith(() => 'hang')
    const controller = new AbortController()
    const outcome = expect(send({}, { signal: controller.signal })).rejects.toMatchObject({
      stage: 'uncertain',
      message: 'the attempt was aborted (after the request was sent)',
    })
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(0)
    controller.abort()
    await outcome
  })
})

describe('closing', () => {
  it('ends what is under way, leaves nothing open and may be repeated', async () => {
    await send()
    receiver.answerWith(() => 'hang')
    const outcome = expect(send()).rejects.toMatchObject({ stage: 'uncertain' })
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(1)
    await client.close()
    await client.close()
    await outcome
    await expect.poll(() => receiver.connections.open).toBe(0)
    await expect(send()).rejects.toMatchObject({ stage: 'unsent' })
  })
})

/** For answers that a well-behaved receiver would not give. */
async function startServer(answer: (path: string, response: import('node:http').ServerResponse) => void) {
  const server: Server = createServer((request, response) => {
    request.resume().once('end', () => answer(request.url ?? '', response))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
