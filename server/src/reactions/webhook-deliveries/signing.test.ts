import { WEBHOOK_EVENTS } from '@carillon/contract'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { HttpReceiver, ReceivedRequest } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { aReceiver, aWebhook, dispatchWebhooks } from '../../../test/webhooks.ts'

const carillon = useCarillon()
const LIBRARIES = { standardwebhooks: StandardWebhook, svix: SvixWebhook }
const toAda = {
  audience: { kind: 'users', user_ids: ['ada'] },
  channels: ['email'],
  payload: { name: 'Zoë 🔔' },
}

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const headersOf = (request: ReceivedRequest) => request.headers as Record<string, string>
const arrived = (receiver: HttpReceiver, count = 1) =>
  waitFor(async () => receiver.requests.length >= count && receiver.requests[count - 1]!, {
    what: 'the webhook',
  })

async function received(
  input: object = {},
): Promise<{ request: ReceivedRequest; secret: string; id: string }> {
  const receiver = await aReceiver()
  const { secret, id } = await aWebhook(carillon, {
    url: receiver.url,
    events: ['notification.accepted'],
    ...input,
  })
  dispatchWebhooks(carillon)
  await carillon.send(toAda)
  return { request: await arrived(receiver), secret, id }
}

describe.each(Object.entries(LIBRARIES))('the library %s', (_name, Library) => {
  it('verifies what we send', { tags: 'S002-15' }, async () => {
    const { request, secret } = await received()
    const body = request.body.toString()
    expect(new Library(secret).verify(body, headersOf(request))).toEqual(JSON.parse(body))
  })

  it('refuses a changed byte, an old time and a wrong secret', { tags: 'S002-15' }, async () => {
    const { request, secret } = await received()
    const body = request.body.toString()
    const headers = headersOf(request)
    const verify =
      (given: string, more = {}, key = secret) =>
      () =>
        new Library(key).verify(given, { ...headers, ...more })
    expect(verify(body)).not.toThrow()
    expect(verify(body.replace('accepted', 'acceptee'))).toThrow()
    const old = new Date(Date.now() - 600_000)
    const signature = new Library(secret).sign(headers['webhook-id']!, old, body)
    const seconds = String(Math.floor(old.getTime() / 1000))
    expect(verify(body, { 'webhook-timestamp': seconds, 'webhook-signature': signature })).toThrow()
    expect(verify(body, {}, `whsec_${Buffer.alloc(32, 7).toString('base64')}`)).toThrow()
  })

  it('verifies with either secret during a rotation, and with the new one alone after it', async () => {
    const receiver = await aReceiver()
    const created = await aWebhook(carillon, { url: receiver.url, events: ['notification.accepted'] })
    dispatchWebhooks(carillon)
    const rotate = async (body: object) =>
      (await carillon.request('POST', `/v1/webhooks/${created.id}/rotate`, { body })).body
    const rotated = await rotate({ grace_seconds: 3600 })
    expect(Date.parse(rotated.secret_expires_at) - Date.now()).toBeGreaterThan(3_500_000)

    await carillon.send(toAda)
    const during = await arrived(receiver)
    expect(headersOf(during)['webhook-signature']!.split(' ')).toHaveLength(2)
    for (const secret of [created.secret, rotated.secret])
      expect(() => new Library(secret).verify(during.body.toString(), headersOf(during))).not.toThrow()

    const last = await rotate({ grace_seconds: 0 })
    expect(last.secret_expires_at).toBeNull()
    await carillon.send(toAda)
    const after = await arrived(receiver, 2)
    const verifies = (secret: string) => {
      try {
        new Library(secret).verify(after.body.toString(), headersOf(after))
        return true
      } catch {
        return false
      }
    }
    expect([created.secret, rotated.secret, last.secret].map(verifies)).toEqual([false, false, true])
  })
})

describe('a request', () => {
  it('carries the ids of event, delivery and webhook, the event type, the trace and custom headers', {
    tags: 'S002-15',
  }, async () => {
    const receiver = await aReceiver()
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const webhook = await aWebhook(carillon, {
      url: `${receiver.url}?token=abc`,
      events: ['notification.accepted'],
      headers: { Authorization: 'Bearer for-the-receiver', 'X-Team': 'red' },
    })
    dispatchWebhooks(carillon)
    const body = { notification_type: 'order_shipped', ...toAda }
    await carillon.request('POST', '/v1/intents', { body, headers: { traceparent } })
    const request = await arrived(receiver)
    const event = JSON.parse(request.body.toString())
    expect(request).toMatchObject({ method: 'POST', path: '/messages?token=abc' })
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': event.id,
      'carillon-webhook': webhook.id,
      'carillon-event': 'notification.accepted',
      traceparent,
      authorization: 'Bearer for-the-receiver',
      'x-team': 'red',
      'content-length': String(request.body.length),
    })
    // The row is written after the answer, a moment later than the request.
    const delivery = await waitFor(
      async () => (await carillon.request('GET', `/v1/webhooks/${webhook.id}/deliveries`)).body.data[0],
      { what: 'the delivery' },
    )
    expect(request.headers['carillon-delivery']).toBe(delivery.id)
  })

  it.each(['full', 'thin'] as const)('a %s CloudEvent is verified like any other', async payload_mode => {
    const { request, secret } = await received({ format: 'cloudevents', payload_mode })
    expect(request.headers['content-type']).toBe('application/cloudevents+json')
    const body = request.body.toString()
    expect(new StandardWebhook(secret).verify(body, headersOf(request))).toMatchObject({
      specversion: '1.0',
      type: 'notification.accepted',
      id: request.headers['webhook-id'],
    })
  })

  it('a secret chosen by the caller is used for signing; one that is too short is refused', async () => {
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const { request } = await received({ secret })
    expect(() => new SvixWebhook(secret).verify(request.body.toString(), headersOf(request))).not.toThrow()
    const body = { url: 'https://example.com', events: [...WEBHOOK_EVENTS], secret: 'whsec_c2hvcnQ=' }
    const refused = await carillon.request('POST', '/v1/webhooks', { body })
    expect(refused.body.errors).toEqual([{ field: 'secret', message: expect.stringContaining('24 to 64') }])
  })
})
