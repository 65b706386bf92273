import { afterAll, beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'

const carillon = useCarillon()
const TOKEN = 'a-long-callback-token'
let service: HttpReceiver
let provider: { id: string; callback_url: string }
let messageId: string
let notificationId: string

beforeAll(async () => {
  service = await startHttpReceiver()
  service.answerWith(() => ({
    status: 200,
    body: JSON.stringify({ ErrorCode: 0, Message: 'OK', MessageID: 'pm-1' }),
  }))
  const created = await carillon.request('POST', '/v1/providers', {
    body: {
      name: 'postmark',
      kind: 'postmark',
      config: { from: 'shop@example.com', base_url: service.url },
      secrets: { server_token: 'server-token', callback_token: TOKEN },
    },
  })
  provider = created.body
  const worker = carillon.deliver(() => ({ kind: 'sent' }), {
    candidates: carillon.providers.directory.candidates,
  })
  notificationId = await carillon.send()
  await carillon.settled(notificationId, 'sent')
  await worker.stop()
  messageId = JSON.parse(service.requests[0]!.body.toString()).Metadata.message_id
})
afterAll(() => service?.stop())

const report = (record: object, token = TOKEN) =>
  carillon.request('POST', new URL(provider.callback_url).pathname, {
    key: null,
    headers: { authorization: `Basic ${Buffer.from(`carillon:${token}`).toString('base64')}` },
    body: { MessageID: 'pm-1', Metadata: { message_id: messageId }, ...record },
  })
const route = async () => (await carillon.routesOf(notificationId))[0]!

it('a provider shows the callback address to give to its service', () => {
  expect(provider.callback_url).toBe(`${PUBLIC_URL}/v1/callbacks/${provider.id}`)
})

it('a delivery report marks the route once, and the same report again changes nothing', async () => {
  const delivered = {
    RecordType: 'Delivery',
    Recipient: 'ada@example.com',
    DeliveredAt: '2026-11-15T10:00:00Z',
  }
  expect((await report(delivered)).body).toEqual({ events: 1, applied: 1 })
  expect((await route()).delivered_at).toBe('2026-11-15T10:00:00.000Z')
  const later = await report({ ...delivered, DeliveredAt: '2026-11-15T11:00:00Z' })
  expect(later.body).toEqual({ events: 1, applied: 0 })
  expect((await route()).delivered_at).toBe('2026-11-15T10:00:00.000Z')
})

it('a forged report is refused and changes nothing', async () => {
  const before = await carillon.rowCounts()
  const answer = await report(
    { RecordType: 'Open', Recipient: 'ada@example.com', ReceivedAt: '2026-11-15T10:05:00Z' },
    'wrong',
  )
  expect(problemOf(answer)).toMatchObject({ status: 401, code: 'unauthenticated' })
  expect((await route()).opened_at).toBeNull()
  expect(await carillon.rowCounts()).toEqual(before)
})

it('a report of an opened mail is stored and shown by explain', async () => {
  await report({ RecordType: 'Open', Recipient: 'ada@example.com', ReceivedAt: '2026-11-15T10:05:00Z' })
  expect((await route()).opened_at).toBe('2026-11-15T10:05:00.000Z')
  const told = JSON.stringify((await carillon.request('GET', `/v1/records/${notificationId}/explain`)).body)
  expect(told).toContain('postmark reports it as opened.')
})

it('a hard bounce suppresses the address, and the next mail to it is skipped', async () => {
  const bounce = {
    RecordType: 'Bounce',
    Type: 'HardBounce',
    ID: 7,
    Email: 'Ada@Example.com',
    BouncedAt: '2026-11-15T10:06:00Z',
  }
  await report({ ...bounce, Description: 'unknown user' })
  expect((await route()).bounced_at).not.toBeNull()
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const [next] = await carillon.settled(await carillon.send(), 'skipped')
  await worker.stop()
  expect(next!.reason).toBe('suppressed')
})

it('a report about an unknown message does no harm, and one of an unknown provider is not found', async () => {
  const stranger = await report({
    RecordType: 'Delivery',
    MessageID: 'pm-2',
    Metadata: { message_id: 'unknown' },
    DeliveredAt: '2026-11-15T10:00:00Z',
  })
  expect(stranger.body).toEqual({ events: 1, applied: 1 })
  const nowhere = await carillon.request('POST', '/v1/callbacks/01a1de74-72db-71a4-8e4a-ba3a65f9b2f0', {
    key: null,
    body: {},
  })
  expect(nowhere.status).toBe(404)
})
