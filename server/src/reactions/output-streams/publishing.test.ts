/** Events in the operator's streams, with real brokers that crash and hang. */
import { randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { HTTP } from 'cloudevents'
import { Webhook as Verifier } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { type Broker, type PublishedMessage, useNatsBroker, useRedisBroker } from '../../../test/brokers.ts'
import { type TestCarillon, useCarillon } from '../../../test/carillon.ts'
import { canStartNats } from '../../../test/nats.ts'
import { canStartRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  aReceiver,
  aWebhook,
  dispatchWebhooks,
  settledDelivery,
  skipWebhookWaiting,
} from '../../../test/webhooks.ts'
import { connectNats } from '../../platform/streams/nats.ts'
import { claimRows } from '../outbox/claim.ts'
import { createWebhookHandler } from '../webhook-deliveries/handler.ts'
import { createEndpointDirectory } from '../webhooks/endpoints.ts'

const ACCEPTED = { events: ['notification.accepted' as const], payload_mode: 'thin' as const }

describe.skipIf(!canStartRedis)('Redis', () => {
  const broker = useRedisBroker()
  const carillon = useCarillon({ outputs: () => ({ ...broker.options, answerTimeoutMs: 1000 }) })
  provePublishing(broker, carillon)

  it('gets an event again whose dispatcher died before it could say so, under the same id', async () => {
    const ids = idsOf(await publishTwice(broker, carillon))
    expect([ids.length, new Set(ids).size]).toEqual([2, 1])
  })

  it('refuses streams that the operator has not set up', async () => {
    const body = { url: 'stream:nats', events: ['notification.sent'] }
    const { status, body: problem } = await carillon.request('POST', '/v1/webhooks', { body })
    expect([status, problem.errors[0]]).toEqual([
      400,
      { field: 'url', message: expect.stringContaining('CARILLON_OUTPUT_NATS_URL') },
    ])
    for (const url of ['stream:kafka', 'redis://127.0.0.1:6379', 'nats://127.0.0.1']) {
      const answer = await carillon.request('POST', '/v1/webhooks', { body: { ...body, url } })
      expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'url'])
    }
  })
})

describe.skipIf(!canStartNats)('NATS', () => {
  const broker = useNatsBroker()
  const carillon = useCarillon({ outputs: () => ({ ...broker.options, answerTimeoutMs: 1000 }) })
  provePublishing(broker, carillon)

  it('keeps an event once whose dispatcher died before it could say so', async () => {
    const ids = idsOf(await publishTwice(broker, carillon))
    expect(ids).toHaveLength(1)
  })

  const publishOfSize = async (bytes: number) => {
    const webhook = await aWebhook(carillon, { url: 'stream:nats', events: ['notification.accepted'] })
    await carillon.pool.query(
      `insert into outbox (id, tenant_id, source_kind, op, target_id, payload, context)
       values (uuid_v7(), $1, 'webhook', 'notification.accepted', $2, repeat('x', $3),
         jsonb_build_object('event_id', uuid_v7(), 'traceparent', '', 'content_type', 'application/json'))`,
      [carillon.tenantId, webhook.id, bytes],
    )
    dispatchWebhooks(carillon)
    return settledDelivery(carillon, webhook.id, 'failed')
  }

  it('gives up a message that is larger than the operator’s stream takes', async () => {
    const connection = await connectNats(broker.options.natsUrl!, 'test')
    try {
      const { streams } = await jetstreamManager(connection)
      await streams.delete('CARILLON_EVENTS').catch(() => {})
      await streams.add({ name: 'CARILLON_EVENTS', subjects: ['carillon.events.>'], max_msg_size: 8192 })
      const { attempts } = await publishOfSize(10_000)
      expect(attempts.map(({ error }) => error)).toEqual([
        'The stream in NATS takes no message of this size, which has 10000 bytes: message size exceeds maximum allowed.',
      ])
      await streams.delete('CARILLON_EVENTS')
    } finally {
      await connection.close()
    }
  })

  it('gives up a message that is larger than it takes', async () => {
    const delivery = await publishOfSize(1024 * 1024)
    expect(delivery.attempts[0]?.error).toMatch(
      /^NATS takes messages of up to \d+ bytes; this one has 1048576/,
    )
    expect(delivery.attempts).toHaveLength(1)
  })

  it('tells two webhooks of the same event', async () => {
    const tenant = await anotherTenant(carillon)
    await Promise.all([tenant.publish(broker), tenant.publish(broker)])
    const [id] = await tenant.send(1)
    dispatchWebhooks(carillon)
    const messages = await arrived(broker, tenant.id, 2)
    expect(new Set(messages.map(({ headers }) => headers['carillon-webhook'])).size).toBe(2)
    expect(notificationsIn(messages)).toEqual([id, id])
  })
})

function provePublishing(broker: Broker, carillon: TestCarillon): void {
  const url = `stream:${broker.kind}`

  it('gets what a receiver would get, signed and with its id', async () => {
    const webhook = await aWebhook(carillon, {
      url,
      events: ['notification.accepted'],
      headers: { 'x-shop': 'eu' },
    })
    const id = await carillon.send()
    dispatchWebhooks(carillon)
    const [message] = await arrived(broker, carillon.tenantId, 1)
    const event = new Verifier(webhook.secret).verify(message!.body, message!.headers) as { id: string }
    expect(event).toMatchObject({ type: 'notification.accepted', data: { notification_id: id } })
    expect(message!.headers).toMatchObject({
      'webhook-id': event.id,
      'carillon-webhook': webhook.id,
      'carillon-event': 'notification.accepted',
      'content-type': 'application/json',
      'x-shop': 'eu',
    })
    const delivery = await settledDelivery(carillon, webhook.id, 'delivered')
    expect(delivery).toMatchObject({ event_id: event.id, response_status: null, attempt_count: 1 })
    expect(delivery.attempts[0]?.response_body).toMatch(/\d/)
  })

  it('gets CloudEvents if they are wanted, and a test event', async () => {
    const tenant = await anotherTenant(carillon)
    const webhook = await tenant.publish(broker, { format: 'cloudevents' })
    const tested = await tenant.request('POST', `/v1/webhooks/${webhook.id}/test`, {
      event_type: 'notification.sent',
    })
    expect(tested).toMatchObject({ status: 'delivered', is_test: true })
    const [message] = await arrived(broker, tenant.id, 1)
    const event = HTTP.toEvent(message!)
    expect(event).toMatchObject({ type: 'notification.sent', source: `urn:carillon:tenant:${tenant.id}` })
  })

  it('gets every event at least once under one id when it is killed and comes back, and no tenant those of another', async () => {
    const tenants = [await anotherTenant(carillon), await anotherTenant(carillon)]
    const webhooks = await Promise.all(tenants.map(tenant => tenant.publish(broker)))
    const sent = await Promise.all(tenants.map(tenant => tenant.send(20)))
    const { dispatched, stop } = dispatchWebhooks(carillon, { maxPerEndpoint: 4 })
    await waitFor(async () => dispatched.some(({ completion }) => completion.action === 'done'), {
      what: 'the first to arrive',
    })
    await broker.kill()
    for (const [i, tenant] of tenants.entries()) sent[i]!.push(...(await tenant.send(10)))
    await waitFor(async () => dispatched.some(({ completion }) => !completion.uses_attempt), {
      what: 'one to wait for the broker',
    })
    await broker.restart()
    await emptied(carillon)
    await stop()
    for (const [i, tenant] of tenants.entries()) {
      const messages = await broker.read(tenant.id)
      expect(new Set(notificationsIn(messages))).toEqual(new Set(sent[i]))
      expect(new Set(idsOf(messages)).size).toBe(30)
      expect(new Set(messages.map(({ headers }) => headers['carillon-webhook']))).toEqual(
        new Set([webhooks[i]!.id]),
      )
    }
    expect((await carillon.readAll('/v1/dead-letters?state=all')).length).toBe(0)
  })

  it('delays nobody else while it hangs, and uses up no attempts', async () => {
    const receiver = await aReceiver()
    const tenant = await anotherTenant(carillon)
    const neighbour = await anotherTenant(carillon)
    const webhook = await tenant.publish(broker, { retry_count: 0 })
    await neighbour.createWebhook({ url: receiver.url, ...ACCEPTED })
    await tenant.createWebhook({ url: receiver.url, ...ACCEPTED })
    broker.pause()
    const { dispatched } = dispatchWebhooks(carillon, { maxPerEndpoint: 2 })
    try {
      const ids = await tenant.send(10)
      ids.push(...(await neighbour.send(5)))
      await waitFor(async () => receiver.requests.length === 15, { what: 'the webhooks of both tenants' })
      const ofStream = dispatched.filter(({ row }) => row.target_id === webhook.id)
      expect(ofStream.filter(({ completion }) => completion.uses_attempt)).toEqual([])
    } finally {
      broker.resume()
    }
    await emptied(carillon)
    expect(new Set(idsOf(await broker.read(tenant.id))).size).toBe(10)
  })
}

/** As if a dispatcher had published an event and died before the row was completed. */
async function publishTwice(broker: Broker, carillon: TestCarillon): Promise<PublishedMessage[]> {
  const tenant = await anotherTenant(carillon)
  await tenant.publish(broker)
  await tenant.send(1)
  const { keyring, outgoing } = carillon.providers
  const endpoints = createEndpointDirectory({ pool: carillon.pool, keyring })
  const handler = createWebhookHandler({ ...outgoing, endpoints, maxPerEndpoint: 1 })
  const rows = await claimRows(carillon.pool, [], { webhook: 10 }, 10, 'dies', 30)
  const row = rows.find(({ tenant_id }) => tenant_id === tenant.id)!
  expect((await handler.handle(row, new AbortController().signal)).outcome).toEqual({ kind: 'done' })
  await carillon.pool.query("update outbox set lease_until = now() - interval '1 s'")
  dispatchWebhooks(carillon)
  await emptied(carillon)
  return broker.read(tenant.id)
}

async function anotherTenant(carillon: TestCarillon) {
  const { id, key } = await carillon.createTenant(`tenant-${randomUUID()}`)
  async function request(method: 'POST', path: string, body: object) {
    const answer = await carillon.request(method, path, { body, key })
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const createWebhook = (input: object) => request('POST', '/v1/webhooks', input)
  return {
    id,
    request,
    createWebhook,
    publish: ({ kind }: Broker, input: object = {}) =>
      createWebhook({ url: `stream:${kind}`, ...ACCEPTED, ...input }),
    /** Returns the ids of the notifications. */
    async send(count: number): Promise<string[]> {
      const intents = Array.from({ length: count }, () => ({
        notification_type: 'order_shipped',
        idempotency_key: randomUUID(),
        audience: { kind: 'addresses', channel: 'email', addresses: ['ada@example.com'] },
        payload: {},
      }))
      const { items } = await request('POST', '/v1/intents/batch', { intents })
      return items.map((item: { notification_id: string }) => item.notification_id)
    },
  }
}

async function arrived(broker: Broker, tenantId: string, count: number): Promise<PublishedMessage[]> {
  const what = `${count} messages in ${broker.kind}`
  return waitFor(
    async () => {
      const messages = await broker.read(tenantId)
      return messages.length >= count && messages
    },
    { what },
  )
}

const emptied = (carillon: TestCarillon) =>
  waitFor(
    async () => {
      await skipWebhookWaiting(carillon)
      return (await carillon.pool.query('select from outbox')).rowCount === 0
    },
    { what: 'the outbox to be empty' },
  )

const idsOf = (messages: PublishedMessage[]) => messages.map(({ headers }) => headers['webhook-id'])
const notificationsIn = (messages: PublishedMessage[]) =>
  messages.map(({ body }) => JSON.parse(body).data.notification_id as string)
