import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { startSmtpReceiver } from '../../../test/receivers/smtp-receiver.ts'
import type { Message } from '../../content/messages/message.ts'
import { describeProvider, type Scenario } from './conformance.suite.ts'
import { createHttpProvider, type HttpOptions } from './http.ts'
import { aMessage } from './message.fixture.ts'
import type { Outcome } from './provider.ts'

const ANSWERS: Record<Exclude<Scenario, 'is_unreachable'>, Answer> = {
  accepts: { status: 202, body: '{"id":"prov-1"}' },
  fails_for_now: { status: 500 },
  throttles: { status: 429, headers: { 'retry-after': '7' } },
  refuses: { status: 422, body: 'unknown number' },
  rejects_credentials: { status: 401 },
  hangs: 'hang',
}

describeProvider('http of the operator', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  throttle_ms: 7000,
  async start(scenario, timeout_ms) {
    const receiver = await startHttpReceiver()
    if (scenario === 'is_unreachable') await receiver.stop()
    else receiver.answerWith(() => ANSWERS[scenario])
    return {
      provider: createHttpProvider({ url: receiver.url, timeout_ms }),
      receivedIds: () => receiver.requests.map(request => String(request.headers['idempotency-key'])),
      wasContacted: () => receiver.requests.length > 0,
      openConnections: () => receiver.connections.open,
      stop: () => receiver.stop(),
    }
  },
})

let receiver: HttpReceiver
beforeEach(async () => {
  receiver = await startHttpReceiver()
})
afterEach(() => receiver.stop())

async function post(
  message: Partial<Message> = {},
  options: Partial<HttpOptions> = {},
  signal = new AbortController().signal,
): Promise<Outcome> {
  const provider = createHttpProvider({ url: receiver.url, timeout_ms: 10_000, ...options })
  try {
    return await provider.send(aMessage(message), signal)
  } finally {
    await provider.close()
  }
}

describe('the request', () => {
  it('carries the message, its ids and its template', { tags: ['S000-26', 'S000-27'] }, async () => {
    await post({ channel: 'sms', address: '+41790000000' })
    const [request] = receiver.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/messages',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': 'rec-2.route-3',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
    })
    expect(JSON.parse(String(request?.body))).toEqual({
      message_id: 'rec-2.route-3',
      notification_id: '0197f2a0-0000-7000-8000-000000000002',
      route_id: '0197f2a0-0000-7000-8000-000000000003',
      channel: 'sms',
      template: 'invoice.paid',
      recipient: { ref: 'user:ada', user_id: 'ada', address: '+41790000000', locale: 'de-CH' },
      subject: 'Rechnung bezahlt – danke',
      text: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      html: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>',
      payload: { invoice: 7 },
      request_id: 'req-1',
    })
  })

  it('for push is small and names a user but no device', { tags: 'S000-27' }, async () => {
    await post({ channel: 'push', address: 'device-token', payload: { big: 'x'.repeat(60_000) } })
    const body = JSON.parse(String(receiver.requests[0]?.body))
    expect(body).not.toHaveProperty('html')
    expect(body.recipient).toEqual({ ref: 'user:ada', user_id: 'ada', locale: 'de-CH' })
    expect(body.payload).toBeNull()
    expect(receiver.requests[0]?.body.length).toBeLessThan(1024)

    await post({ channel: 'push', payload: { invoice: 7 } })
    expect(JSON.parse(String(receiver.requests[1]?.body)).payload).toEqual({ invoice: 7 })
  })

  it('has no traceparent when the message has none', async () => {
    await post({ traceparent: '' })
    expect(receiver.requests[0]?.headers).not.toHaveProperty('traceparent')
  })

  it("has the operator's headers, query and credentials, but our idempotency key", async () => {
    const url = receiver.url.replace('http://', 'http://bob:p%40ss@')
    await post({}, { url: `${url}?team=7`, headers: { 'X-Team': 'seven', 'Idempotency-Key': 'mine' } })
    expect(receiver.requests[0]).toMatchObject({
      path: '/messages?team=7',
      headers: {
        'x-team': 'seven',
        'idempotency-key': 'rec-2.route-3',
        authorization: `Basic ${btoa('bob:p@ss')}`,
      },
    })
  })

  it('goes to the configured host even if the path begins with two slashes', async () => {
    await post({}, { url: receiver.url.replace('/messages', '//elsewhere.example/messages') })
    expect(receiver.requests[0]?.path).toBe('//elsewhere.example/messages')
  })

  it('reuses a connection', async () => {
    const provider = createHttpProvider({ url: receiver.url, timeout_ms: 10_000 })
    for (let i = 0; i < 10; i += 1) await provider.send(aMessage(), new AbortController().signal)
    await provider.close()
    expect(receiver.requests).toHaveLength(10)
    // Two and not one: undici lets a connection rest for one turn of the event loop after an answer.
    expect(receiver.connections.opened).toBeLessThanOrEqual(2)
  })

  it('is never made for a payload that cannot be written as JSON', async () => {
    expect(await post({ payload: 7n })).toEqual({
      kind: 'permanent',
      message: 'The request cannot be made: the payload cannot be written as JSON',
    })
    expect(receiver.requests).toEqual([])
  })
})

describe('the answer', () => {
  it('has the provider’s message id', async () => {
    receiver.answerWith(() => ({ status: 202, body: '{"id":"prov-1"}' }))
    expect(await post()).toEqual({
      kind: 'sent',
      provider_message_id: 'prov-1',
      response: 'HTTP 202: {"id":"prov-1"}',
    })
  })

  it('is judged by its status even if its body is endless', async () => {
    receiver.answerWith(() => ({ status: 200, body: Buffer.alloc(4 * 1024 * 1024, 'x') }))
    expect(await post()).toMatchObject({ kind: 'sent' })
  })

  it('is not followed when it is a redirect', async () => {
    receiver.answerWith(() => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } }))
    expect(await post()).toMatchObject({
      kind: 'permanent',
      message: expect.stringContaining('not followed'),
    })
    expect(receiver.requests).toHaveLength(1)
  })

  it('is stored without credentials that it echoes', async () => {
    receiver.answerWith(request => ({
      status: 400,
      body: `${request.headers.authorization} ${request.path} ${request.headers['x-api-key']}`,
    }))
    const url = `${receiver.url.replace('http://', 'http://bob:hunter22@')}?token=tok-9876`
    const outcome = await post({}, { url, headers: { 'x-api-key': 'key-5555' } })
    expect(outcome).toEqual({
      kind: 'permanent',
      message: 'HTTP 400: [redacted] /messages?token=[redacted] [redacted]',
    })
  })
})

describe('without an answer', () => {
  it('a reset after the request was read is uncertain', async () => {
    receiver.answerWith(() => 'reset')
    expect(await post()).toMatchObject({ kind: 'uncertain' })
  })

  it('a timeout after the request was read is uncertain', async () => {
    receiver.answerWith(() => 'hang')
    expect(await post({}, { timeout_ms: 500 })).toEqual({
      kind: 'uncertain',
      message: 'no answer within 500 ms (after the request was sent)',
    })
  })

  it('an abort after the request was read is uncertain', async () => {
    const controller = new AbortController()
    receiver.answerWith(() => {
      controller.abort()
      return 'hang'
    })
    expect(await post({}, {}, controller.signal)).toMatchObject({ kind: 'uncertain' })
  })

  it('an untrusted certificate is a configuration error', async () => {
    const tls = await startSmtpReceiver({ tls: 'implicit' })
    const outcome = await post({}, { url: tls.url.replace('smtps:', 'https:') })
    await tls.stop()
    expect(outcome.kind).toBe('config')
  })

  it('TLS to a port without TLS is a configuration error', async () => {
    expect((await post({}, { url: receiver.url.replace('http:', 'https:') })).kind).toBe('config')
  })
})

it.each(['ftp://files.example', 'bob:hunter22', ''])('refuses the url "%s" without repeating it', url => {
  expect(() => createHttpProvider({ url, timeout_ms: 1 })).toThrow(
    'expected the provider url to begin with http:// or https://',
  )
})

it("does not treat braces in the operator's URL as a template", async () => {
  await post({}, { url: `${receiver.url}?q={{address}}` })
  expect(receiver.requests[0]?.path).toBe('/messages?q=%7B%7Baddress}}')
})
