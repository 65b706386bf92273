/** Webhooks for tests: real receivers, endpoints created through the API, and a dispatcher that calls them. */
import type { CreatedWebhook, NewWebhook, WebhookDelivery, WebhookDeliveryDetail } from '@carillon/contract'
import { onTestFinished } from 'vitest'
import type { DispatcherOptions } from '../src/reactions/outbox/dispatcher.ts'
import { createWebhookHandler } from '../src/reactions/webhook-deliveries/handler.ts'
import { createRecoveryHandler } from '../src/reactions/webhook-recoveries/recoveries.ts'
import { createEndpointDirectory } from '../src/reactions/webhooks/endpoints.ts'
import type { TestCarillon } from './carillon.ts'
import { startDispatcher, type TestDispatcher } from './dispatching.ts'
import { type HttpReceiver, startHttpReceiver } from './receivers/http-receiver.ts'
import { waitFor } from './wait-for.ts'

/** A receiver that stops when the test ends. */
export async function aReceiver(): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver()
  onTestFinished(() => receiver.stop())
  return receiver
}

/** An endpoint with defaults; it is deleted when the test ends, so that later events do not reach it. */
export async function aWebhook(
  carillon: TestCarillon,
  input: Partial<NewWebhook> & { url: string },
): Promise<CreatedWebhook> {
  const body = { events: ['notification.sent'], ...input }
  const answer = await carillon.request('POST', '/v1/webhooks', { body })
  if (answer.status !== 201) throw new Error(`webhook not created: ${JSON.stringify(answer.body)}`)
  onTestFinished(async () => {
    await carillon.pool.query('delete from outbox where target_id = $1', [answer.body.id])
    await carillon.request('DELETE', `/v1/webhooks/${answer.body.id}`)
  })
  return answer.body
}

export function dispatchWebhooks(
  carillon: TestCarillon,
  options: Partial<DispatcherOptions> & { maxPerEndpoint?: number } = {},
): TestDispatcher {
  const { keyring, outgoing } = carillon.providers
  const endpoints = createEndpointDirectory({ pool: carillon.pool, keyring, rememberMs: 0 })
  const { maxPerEndpoint = 32, ...rest } = options
  return startDispatcher(
    carillon.pool,
    [
      createWebhookHandler({ ...outgoing, endpoints, maxPerEndpoint }),
      createRecoveryHandler(carillon.pool, () => {}),
    ],
    rest,
  )
}

export async function deliveriesOf(
  carillon: TestCarillon,
  webhookId: string,
  query = '',
): Promise<WebhookDelivery[]> {
  return carillon.readAll(`/v1/webhooks/${webhookId}/deliveries${query}`)
}

/** Waits for a delivery to have one of the statuses, and returns it with its attempts. */
export async function settledDelivery(
  carillon: TestCarillon,
  webhookId: string,
  ...statuses: WebhookDelivery['status'][]
): Promise<WebhookDeliveryDetail> {
  const found = await waitFor(
    async () => (await deliveriesOf(carillon, webhookId)).find(({ status }) => statuses.includes(status)),
    { what: `a delivery to be ${statuses.join(' or ')}` },
  )
  return (await carillon.request('GET', `/v1/webhooks/${webhookId}/deliveries/${found.id}`)).body
}

/** Makes everything that waits in the outbox due now. */
export async function skipWebhookWaiting(carillon: TestCarillon): Promise<void> {
  await carillon.pool.query(
    'update outbox set next_attempt_at = now() where next_attempt_at > now() and lease_owner is null',
  )
}
