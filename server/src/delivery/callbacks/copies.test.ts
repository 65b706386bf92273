/** Reports about mails that also went to cc and bcc. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'

const carillon = useCarillon()
const SECRET = 'a-long-signing-secret'
let service: HttpReceiver
let callbackPath: string
let events = 0

beforeAll(async () => {
  service = await startHttpReceiver()
  service.answerWith(() => ({ status: 200, body: '{"id":"1"}' }))
  const body = {
    name: 'http',
    kind: 'http',
    channel: 'email',
    config: { url: service.url },
    secrets: { signing_secret: SECRET },
  }
  const created = await carillon.request('POST', '/v1/providers', { body })
  callbackPath = new URL(created.body.callback_url).pathname
})
afterAll(() => service?.stop())

async function sendWithCopy(): Promise<{ notificationId: string; messageId: string }> {
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    candidates: carillon.providers.directory.candidates,
  })
  const notificationId = await carillon.send({
    audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
    email: { cc: ['Copy@example.com'] },
    idempotency_key: `copies-${++events}`,
  })
  await carillon.settled(notificationId, 'sent')
  await worker.stop()
  return { notificationId, messageId: JSON.parse(service.requests.at(-1)!.body.toString()).message_id }
}

async function report(messageId: string, fields: object): Promise<void> {
  const rawBody = JSON.stringify({ event_id: `e-${++events}`, message_id: messageId, ...fields })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = {
    'content-type': 'application/json',
    'carillon-timestamp': timestamp,
    'carillon-signature': createHmac('sha256', SECRET).update(`${timestamp}.${rawBody}`).digest('hex'),
  }
  const answer = await carillon.request('POST', callbackPath, { key: null, headers, rawBody })
  expect(answer.body).toEqual({ events: 1, applied: 1 })
}
const suppressed = async () =>
  (await carillon.request('GET', '/v1/suppressions')).body.data.map(
    ({ address }: { address: string }) => address,
  )

it('a bounced copy suppresses its own address and says nothing about the person', async () => {
  const { notificationId, messageId } = await sendWithCopy()
  await report(messageId, { kind: 'bounced', address: 'copy@example.com' })
  expect((await carillon.routesOf(notificationId))[0]).toMatchObject({ bounced_at: null })
  expect(await suppressed()).toEqual(['copy@example.com'])
  await report(messageId, { kind: 'delivered', address: 'ADA@example.com' })
  expect((await carillon.routesOf(notificationId))[0]!.delivered_at).not.toBeNull()
})

it.each([
  ['a year that cannot be stored', { at: '0000-01-01T00:00:00Z' }],
  ['a text that cannot be stored', { detail: 'a\0b' }],
  ['half a character', { detail: 'a\ud83d' }],
])('a report with %s counts', async (_title, fields) => {
  const { notificationId, messageId } = await sendWithCopy()
  await report(messageId, { kind: 'delivered', ...fields })
  expect((await carillon.routesOf(notificationId))[0]!.delivered_at).not.toBeNull()
})

it('a bounce that names nobody suppresses the person only if no copy can have bounced instead', async () => {
  const key = Buffer.from('a-long-signing-secret')
  const body = {
    name: 'resend',
    kind: 'resend',
    priority: 1,
    config: { from: 'shop@example.com', base_url: service.url },
    secrets: { api_key: 'k', webhook_secret: `whsec_${key.toString('base64')}` },
  }
  const path = new URL((await carillon.request('POST', '/v1/providers', { body })).body.callback_url).pathname
  for (const [email, expected] of [
    [{ cc: ['copy@example.com'] }, []],
    [undefined, ['eve@example.com']],
  ] as const) {
    const worker = carillon.deliver(() => ({ kind: 'sent' }), {
      candidates: carillon.providers.directory.candidates,
    })
    const id = await carillon.send({
      audience: { kind: 'addresses', channel: 'email', addresses: ['eve@example.com'] },
      ...(email && { email }),
    })
    await carillon.settled(id, 'sent')
    await worker.stop()
    const { tags, to } = JSON.parse(service.requests.at(-1)!.body.toString())
    const rawBody = JSON.stringify({
      type: 'email.bounced',
      created_at: new Date().toISOString(),
      data: { to, tags, bounce: { type: 'Permanent' } },
    })
    const stamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'content-type': 'application/json',
      'svix-id': `msg-${++events}`,
      'svix-timestamp': stamp,
      'svix-signature': `v1,${createHmac('sha256', key).update(`msg-${events}.${stamp}.${rawBody}`).digest('base64')}`,
    }
    const answer = await carillon.request('POST', path, { key: null, headers, rawBody })
    expect(answer.body).toEqual({ events: 1, applied: 1 })
    expect((await suppressed()).filter((address: string) => address.startsWith('eve'))).toEqual(expected)
  }
})
