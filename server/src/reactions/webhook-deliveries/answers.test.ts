import type { WebhookDelivery } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Answer } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  aReceiver,
  aWebhook,
  deliveriesOf,
  dispatchWebhooks,
  settledDelivery,
  skipWebhookWaiting,
} from '../../../test/webhooks.ts'
import { createAddressGuard } from '../../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../../platform/outgoing/http-client.ts'
import type { Endpoint } from '../webhooks/endpoints.ts'
import { sendWebhook } from './post.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const anEndpoint = (url: string): Endpoint => ({
  tenantId: '',
  id: '',
  url,
  headers: {},
  timeoutMs: 1000,
  isActive: true,
  isPaused: false,
  format: 'standard',
  payloadMode: 'full',
  secretTexts: [],
  sign: () => 'v1,x',
  reserve: async () => undefined,
})
const aMessage = {
  deliveryId: 'd',
  eventId: 'e',
  eventType: 'notification.sent',
  body: '{}',
  contentType: 'application/json',
  traceparent: '',
}

async function firstAttempt(answer: Answer, input: object = {}) {
  const receiver = await aReceiver()
  receiver.answerWith(() => answer)
  const webhook = await aWebhook(carillon, {
    url: receiver.url,
    events: ['notification.accepted'],
    timeout_seconds: 1,
    ...input,
  })
  const dispatcher = dispatchWebhooks(carillon)
  const notificationId = await carillon.send(toAda)
  const delivery = await settledDelivery(carillon, webhook.id, 'delivered', 'retrying', 'failed')
  return { receiver, webhook, dispatcher, delivery, notificationId }
}

/** Both times come from the statement that stored the attempt. */
const waitMsOf = ({ next_retry_at, created_at }: WebhookDelivery) =>
  Date.parse(next_retry_at!) - Date.parse(created_at)

describe('an answer', () => {
  it.each([200, 201, 202, 204])('%i is delivered', { tags: 'S002-16' }, async status => {
    const { delivery } = await firstAttempt({ status, body: status === 204 ? '' : 'thanks' })
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempt_count: 1,
      response_status: status,
      next_retry_at: null,
    })
    expect(delivery.attempts).toMatchObject([{ attempt_no: 1, status, error: '' }])
    expect(delivery.attempts[0]!.response_body).toBe(status === 204 ? '' : 'thanks')
  })

  it.each([408, 429, 500, 502, 503, 504])('%i is tried again', { tags: 'S002-16' }, async status => {
    const { delivery } = await firstAttempt({ status, body: 'not now' })
    expect(delivery).toMatchObject({ status: 'retrying', response_status: status, delivered: false })
    expect(delivery.attempts).toMatchObject([{ status, response_body: 'not now' }])
    expect(waitMsOf(delivery)).toBeGreaterThanOrEqual(24_000)
    expect(waitMsOf(delivery)).toBeLessThanOrEqual(36_000)
  })

  it.each([301, 302, 307, 308])('%i is a failure and is not followed', { tags: 'S002-16' }, async status => {
    const elsewhere = await aReceiver()
    const { delivery } = await firstAttempt({ status, headers: { location: elsewhere.url } })
    expect(delivery).toMatchObject({ status: 'failed', next_retry_at: null, attempt_count: 1 })
    expect(delivery.attempts[0]!.error).toContain('redirects are not followed')
    expect(elsewhere.requests).toHaveLength(0)
  })

  it.each([400, 401, 404, 413, 422])('%i is final', { tags: 'S002-16' }, async status => {
    const { delivery } = await firstAttempt({ status })
    expect(delivery).toMatchObject({ status: 'failed', response_status: status })
  })

  it('Retry-After is never undercut', { tags: 'S002-16' }, async () => {
    const { delivery } = await firstAttempt({ status: 429, headers: { 'retry-after': '7200' } })
    expect(waitMsOf(delivery)).toBe(7_200_000)
  })

  it('that does not come within the timeout leads to another attempt', { tags: 'S002-16' }, async () => {
    const { delivery } = await firstAttempt('hang')
    expect(delivery).toMatchObject({ status: 'retrying', response_status: null })
    expect(delivery.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringContaining('within 1000 ms'),
    })
  })

  it('a connection that is reset or refused is tried again', { tags: 'S002-16' }, async () => {
    const { delivery } = await firstAttempt('reset')
    expect(delivery).toMatchObject({ status: 'retrying', response_status: null })
    const gone = await aReceiver()
    await gone.stop()
    const { delivery: refused } = await firstAttempt({}, { url: gone.url })
    expect(refused).toMatchObject({ status: 'retrying', response_status: null })
    expect(refused.attempts[0]!.error).toContain('ECONNREFUSED')
  })

  it('of 10 MB is read no further than 32 KiB', { tags: 'S002-16' }, async () => {
    const { delivery } = await firstAttempt({ status: 200, body: Buffer.alloc(10_000_000, 'ä') })
    expect(delivery.status).toBe('delivered')
    const kept = delivery.attempts[0]!.response_body
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(32_768)
    expect(kept).toMatch(/^ä+$/)
    expect(kept.length).toBeGreaterThan(16_000)
  })

  it('of bytes that are not text is kept as far as possible', async () => {
    const { delivery } = await firstAttempt({
      status: 500,
      body: Buffer.from([0x41, 0x00, 0xff, 0xfe, 0x42]),
    })
    expect(delivery.attempts[0]!.response_body).toMatch(/^A\uFFFD+B$/)
  })

  it('that echoes our secrets is stored without them', async () => {
    const token = 'Bearer very-secret-token'
    const { delivery } = await firstAttempt(
      { status: 500, body: `you sent ${token}` },
      { headers: { authorization: token } },
    )
    expect(delivery.attempts[0]!.response_body).toBe('you sent [redacted]')
  })
})

describe('an address', () => {
  it('that is private is refused at once in a URL, and when a name resolves to it', {
    tags: 'S002-16',
  }, async () => {
    for (const url of [
      'http://10.0.0.1/x',
      'http://169.254.169.254/latest',
      'http://[fd00::1]/',
      'http://0x0a000001/',
    ]) {
      const answer = await carillon.request('POST', '/v1/webhooks', {
        body: { url, events: ['notification.sent'] },
      })
      expect([url, answer.status, answer.body.errors?.[0].field]).toEqual([url, 400, 'url'])
    }
    const dialled: string[] = []
    const http = createHttpClient({
      guard: createAddressGuard(),
      resolve: ((_name: string, _options: unknown, done: (...given: unknown[]) => void) =>
        done(null, [{ address: '10.0.0.1', family: 4 }])) as never,
      connect: options => (target, callback) =>
        options.lookup(target.hostname, { all: true }, (error, addresses) => {
          if (error === null) dialled.push(String(addresses))
          callback(error ?? new Error('dialled'), null)
        }),
    })
    const posted = await sendWebhook(
      { ...carillon.providers.outgoing, http },
      anEndpoint('http://inside.example.com/'),
      aMessage,
      AbortSignal.timeout(1000),
    )
    await http.close()
    expect(posted).toMatchObject({
      verdict: 'failed',
      status: null,
      error: expect.stringContaining('inside.example.com does not lead to a public address'),
    })
    expect(dialled).toEqual([])
  })

  it.each([
    'ftp://example.com',
    'example.com/x',
    'http://user:pass@example.com',
    `https://e.com/${'x'.repeat(490)}`,
  ])('%s is refused', { tags: 'S002-13' }, async url => {
    const answer = await carillon.request('POST', '/v1/webhooks', {
      body: { url, events: ['notification.sent'] },
    })
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'url'])
  })
})

describe('retries', () => {
  it('continue with the same id and body until one succeeds; every attempt is kept', {
    tags: 'S002-16',
  }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({
      status: receiver.requests.length < 3 ? 503 : 200,
      body: `no ${receiver.requests.length}`,
    }))
    const webhook = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    dispatchWebhooks(carillon)
    await carillon.send(toAda)
    for (const count of [1, 2]) {
      await waitFor(async () => (await deliveriesOf(carillon, webhook.id))[0]?.attempt_count === count, {
        what: `attempt ${count}`,
      })
      await skipWebhookWaiting(carillon)
    }
    const delivery = await settledDelivery(carillon, webhook.id, 'delivered')
    expect(delivery).toMatchObject({
      attempt_count: 3,
      response_status: 200,
      delivered_at: expect.any(String),
    })
    expect(
      delivery.attempts.map(({ attempt_no, status, response_body }) => [attempt_no, status, response_body]),
    ).toEqual([
      [1, 503, 'no 1'],
      [2, 503, 'no 2'],
      [3, 200, 'no 3'],
    ])
    const ids = receiver.requests.map(request => [request.headers['webhook-id'], request.body.toString()])
    expect(new Set(ids.map(String)).size).toBe(1)
    expect(receiver.requests[0]!.body.toString()).toBe(delivery.payload)
  })

  it('end after retry_count with a dead letter; the notification itself is untouched', {
    tags: 'S002-16',
  }, async () => {
    const receiver = await aReceiver()
    receiver.answerWith(() => ({ status: 500 }))
    const webhook = await aWebhook(carillon, {
      url: receiver.url,
      events: ['notification.accepted'],
      retry_count: 2,
    })
    dispatchWebhooks(carillon)
    const id = await carillon.send(toAda)
    const before = await carillon.routesOf(id)
    for (const count of [1, 2]) {
      await waitFor(
        async () =>
          receiver.requests.length === count &&
          (await deliveriesOf(carillon, webhook.id))[0]?.attempt_count === count,
        { what: `attempt ${count}` },
      )
      await skipWebhookWaiting(carillon)
    }
    const delivery = await settledDelivery(carillon, webhook.id, 'failed')
    expect(delivery).toMatchObject({ attempt_count: 3, delivered: false, next_retry_at: null })
    expect(await carillon.routesOf(id)).toEqual(before)
    const letters = await carillon.readAll(`/v1/dead-letters?source_kind=outbox&target_id=${webhook.id}`)
    expect(letters).toMatchObject([
      {
        source: 'webhook',
        op: 'notification.accepted',
        original_event_id: delivery.id,
        final_attempt_count: 3,
        failure_reason: 'max_retries_exceeded',
      },
    ])
  })

  it('are 3 by default, with a timeout of 10 seconds', { tags: 'S002-13' }, async () => {
    const webhook = await aWebhook(carillon, { url: 'https://example.com' })
    expect(webhook).toMatchObject({
      retry_count: 3,
      timeout_seconds: 10,
      is_active: true,
      backoff: 'exponential',
      retry_base_ms: 30_000,
      retry_cap_ms: 86_400_000,
    })
  })

  it('that are already waiting keep the policy they were written with', { tags: 'S003-2' }, async () => {
    const { webhook, dispatcher } = await firstAttempt({ status: 500 })
    await dispatcher.stop()
    await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, {
      body: { retry_count: 0, retry_base_ms: 5 },
    })
    const { rows } = await carillon.pool.query(
      'select max_attempts, base_ms from outbox where target_id = $1',
      [webhook.id],
    )
    expect(rows).toEqual([{ max_attempts: 4, base_ms: 30_000 }])
  })
})
