/** Pausing an endpoint and going on. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { startDispatcher } from '../../../test/dispatching.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { aReceiver, aWebhook } from '../../../test/webhooks.ts'
import { createEndpointDirectory } from '../webhooks/endpoints.ts'
import { createWebhookHandler } from './handler.ts'

const carillon = useCarillon()
const toAda = { audience: { kind: 'users', user_ids: ['ada'] }, channels: ['email'] }
beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

it('events go at once when a pause ends, even if the process still remembers the pause', async () => {
  const { keyring, outgoing } = carillon.providers
  const endpoints = createEndpointDirectory({ pool: carillon.pool, keyring, rememberMs: 3_600_000 })
  const receiver = await aReceiver()
  const webhook = await aWebhook(carillon, {
    url: receiver.url,
    events: ['notification.accepted'],
    is_paused: true,
  })
  const handler = createWebhookHandler({ ...outgoing, endpoints, maxPerEndpoint: 32 })
  const dispatcher = startDispatcher(carillon.pool, [handler], {})
  await carillon.send(toAda)
  const waiting = `select from outbox where target_id = $1 and next_attempt_at > now() + interval '1 minute'`
  await waitFor(async () => (await carillon.pool.query(waiting, [webhook.id])).rowCount === 1, {
    what: 'the event to wait',
  })
  expect(receiver.requests).toEqual([])
  await carillon.request('PATCH', `/v1/webhooks/${webhook.id}`, { body: { is_paused: false } })
  await waitFor(async () => receiver.requests.length === 1, { what: 'the event' })
  await dispatcher.stop()
})
