/** The policy `ask`, with a service that gets a message and does not answer. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import { waitFor } from '../../../test/wait-for.ts'
import type { Service } from '../../platform/queue/service.ts'

const carillon = useCarillon()
const TOKEN = 'a-long-callback-token'
/** `known`: how many messages the service finds when it is asked; undefined: it cannot be asked. */
const service = { isSilent: true, known: 0 as number | undefined }
let receiver: HttpReceiver
let provider: { id: string; callback_url: string }
let worker: Service
let id = ''

beforeAll(async () => {
  receiver = await startHttpReceiver()
  receiver.answerWith(({ method }) => {
    if (method === 'POST')
      return service.isSilent ? 'reset' : { body: JSON.stringify({ ErrorCode: 0, MessageID: 'pm-1' }) }
    if (service.known === undefined) return { status: 500 }
    return { body: JSON.stringify({ TotalCount: service.known, Messages: [] }) }
  })
  const body = {
    name: 'postmark',
    kind: 'postmark',
    config: { from: 'shop@example.com', base_url: receiver.url },
    secrets: { server_token: 'server-token', callback_token: TOKEN },
    uncertain_policy: 'ask',
  }
  provider = (await carillon.request('POST', '/v1/providers', { body })).body
  worker = carillon.deliver(() => ({ kind: 'sent' }), {
    candidates: carillon.providers.directory.candidates,
  })
})
afterAll(async () => {
  await worker?.stop()
  await receiver?.stop()
})

/** Every test begins with an attempt that was not answered, after which the service did not know the message. */
beforeEach(async () => {
  if (id !== '') await carillon.request('POST', `/v1/records/${id}/cancel`)
  await carillon.pool.query('delete from provider_health')
  Object.assign(service, { isSilent: true, known: 0 })
  receiver.requests.length = 0
  id = await carillon.send()
  await attempted(1)
  service.isSilent = false
})

const route = async () => (await carillon.routesOf(id))[0]!
/** Attempts are logged when they end. */
const attempted = (count: number) =>
  waitFor(async () => (await carillon.attemptsOf(await route())).length === count, {
    what: `${count} attempts`,
  })
const posts = () => receiver.requests.filter(({ method }) => method === 'POST').length
/** The service has had time to show the message. */
const passSettlingTime = () =>
  carillon.pool.query(
    "update route_attempts set started_at = started_at - interval '1 hour' where notification_id = $1",
    [id],
  )

it('right after a lost answer, a message that the service does not know stays uncertain', async () => {
  expect(await route()).toMatchObject({ status: 'retrying', last_error_classification: 'uncertain' })
  expect(receiver.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
})

it('a message that the service has by the next attempt is not sent again', async () => {
  service.known = 1
  await carillon.skipWaiting()
  expect(await carillon.settled(id, 'sent')).toMatchObject([{ provider: 'postmark', attempt_count: 2 }])
  expect(posts()).toBe(1)
})

it('a message that the service still lacks after its settling time is sent again', async () => {
  await passSettlingTime()
  await carillon.skipWaiting()
  expect(await carillon.settled(id, 'sent')).toMatchObject([{ provider_message_id: 'pm-1' }])
  expect(posts()).toBe(2)
})

it.each([
  ['may still get the message', 0],
  ['cannot be asked', undefined],
])('a message is not sent again while the service %s', async (_title, known) => {
  service.known = known
  if (known === undefined) await passSettlingTime()
  await carillon.skipWaiting()
  await attempted(2)
  expect(await route()).toMatchObject({ status: 'retrying', last_error_classification: 'uncertain' })
  expect(posts()).toBe(1)
})

it('the service is also asked about an attempt that was lost with its worker', async () => {
  await carillon.pool.query(
    "update route_attempts set outcome = 'lost', provider = '' where notification_id = $1",
    [id],
  )
  service.known = 1
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  expect(posts()).toBe(1)
})

it('a delivery report settles an uncertain attempt without asking the service', async () => {
  const { Metadata } = JSON.parse(receiver.requests[0]!.body.toString())
  service.known = undefined
  await carillon.request('POST', new URL(provider.callback_url).pathname, {
    key: null,
    headers: { authorization: `Basic ${Buffer.from(`carillon:${TOKEN}`).toString('base64')}` },
    body: { RecordType: 'Delivery', MessageID: id, Metadata, DeliveredAt: '2026-11-15T10:00:00Z' },
  })
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent')
  expect(receiver.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
})

it('a replayed dead letter is sent without asking the service', async () => {
  service.known = undefined
  await carillon.pool.query('update routes set max_attempts = 2 where notification_id = $1', [id])
  await carillon.skipWaiting()
  await carillon.settled(id, 'dead')
  const [letter] = await carillon.readAll('/v1/dead-letters')
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`, { body: {} })
  await carillon.settled(id, 'sent')
  expect(posts()).toBe(2)
})

it('an uncertain message waits for its switched-off provider, and no other provider sends it', async () => {
  const path = `/v1/providers/${provider.id}`
  await carillon.request('PATCH', path, { body: { is_active: false } })
  await passSettlingTime()
  await carillon.skipWaiting()
  await waitFor(async () => (await route()).reason === 'no_provider', { what: 'the wait for a provider' })
  const other = await startHttpReceiver()
  const body = { name: 'other', kind: 'http', channel: 'email', config: { url: other.url } }
  const { id: otherId } = (await carillon.request('POST', '/v1/providers', { body })).body
  await carillon.skipWaiting()
  await carillon.settled(id, 'dead')
  expect([posts(), other.requests.length]).toEqual([1, 0])
  const letters = await carillon.readAll('/v1/dead-letters')
  const letter = letters.find(({ notification_id }) => notification_id === id)
  expect(letter!.failure_message).toContain('"postmark" was to be asked')
  await carillon.request('DELETE', `/v1/providers/${otherId}`)
  await carillon.request('PATCH', path, { body: { is_active: true } })
  await other.stop()
})
