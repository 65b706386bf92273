import {
  PAYLOAD_MODES,
  WEBHOOK_EVENTS,
  WEBHOOK_EXAMPLES,
  WEBHOOK_FORMATS,
  WebhookEvent,
  type WebhookEventType,
} from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { drainAll, emit } from '../../../test/events.ts'
import { aWebhook } from '../../../test/webhooks.ts'
import { applyFeedback } from '../../delivery/callbacks/queries.ts'
import { createWebhooksConsumer } from '../../events/event-consumers/webhooks-consumer.ts'
import { createInboxWriter } from '../../inbox/notifications/notifications.ts'
import { resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { expandChunk } from '../../planning/expansions/expander.ts'
import { refuseDifference } from '../../platform/http/answers.ts'
import type { Outcome } from '../../providers/services/provider.ts'
import { deliver, ENDPOINT, raise, toAda, waitingFor } from './events.fixture.ts'

const carillon = useCarillon()
const EVERY = [...WEBHOOK_EVENTS]

const opsFor = async (target: string) => (await waitingFor(carillon, target)).map(row => row.op)

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
  await carillon.putUser('mute')
  await carillon.putType('order_shipped', { channels: ['email', 'in_app'], category: 'orders' })
})

const PERMANENT: Outcome = { kind: 'permanent', message: 'no' }

/** Causes each event the way it happens in production. */
const CAUSES: Record<WebhookEventType, () => Promise<unknown>> = {
  async 'notification.accepted'() {
    await deliver(carillon, { kind: 'sent' }, await carillon.send(toAda), 'sent')
  },
  async 'notification.sent'() {
    const id = await carillon.send(toAda)
    await deliver(carillon, { kind: 'sent', provider_message_id: 'abc' }, id, 'sent')
  },
  async 'notification.delivered'() {
    const id = await carillon.send(toAda)
    await deliver(carillon, { kind: 'sent' }, id, 'sent')
    await feedback(id, 'delivered')
  },
  async 'notification.failed'() {
    const id = await carillon.send(toAda)
    await deliver(carillon, PERMANENT, id, 'dead')
  },
  'notification.skipped': () =>
    carillon.send({ audience: { kind: 'users', user_ids: ['mute'] }, channels: ['email'] }),
  async 'notification.cancelled'() {
    const id = await carillon.send({ ...toAda, send_at: '2031-01-01T00:00:00Z' })
    await carillon.request('POST', `/v1/records/${id}/cancel`)
  },
  async 'notification.dead_lettered'() {
    const id = await carillon.send(toAda)
    await deliver(carillon, PERMANENT, id, 'dead')
  },
  async 'notification.read'() {
    const write = createInboxWriter(carillon.pool)
    const id = await carillon.send({ ...toAda, channels: ['in_app'] })
    await deliver(
      carillon,
      async message => {
        await write(message as Parameters<typeof write>[0])
        return { kind: 'sent' }
      },
      id,
      'sent',
    )
    await carillon.pool.query(
      'update notifications set is_read = true, read_at = now() where record_id = $1 and not is_read',
      [id],
    )
  },
  'system_event.raised': () => raise(carillon, `raised-${++raisedEvents}`),
  async 'system_event.resolved'() {
    await raise(carillon, 'resolved')
    await resolveSystemEvents(carillon.pool, carillon.tenantId, 'resolved', 'x')
  },
  async 'event.emitted'() {
    const thread = { kind: 'issue', id: '7', title: 'Cart', author_id: 'ada' }
    await emit(carillon.pool, {
      kind: 'k',
      topic: 't',
      actor_id: 'ada',
      thread,
      relations: { mention: ['bob'] },
    })
    await drainAll(
      carillon.pool,
      createWebhooksConsumer(() => {}),
      carillon.tenantId,
    )
  },
}

let raisedEvents = 0
async function feedback(id: string, kind: 'delivered' | 'bounced', eventId = `${id}-${kind}`) {
  const { rows } = await carillon.pool.query(
    `insert into provider_configs (id, tenant_id, name, kind, channel, config, secrets)
     values (gen_random_uuid(), $1, 'p' || random(), 'none', 'email', '{}', 'v1.x.y.z') returning id`,
    [carillon.tenantId],
  )
  await carillon.pool.query(
    "update routes set message_ref = $1 where notification_id = $2 and message_ref = ''",
    [`ref-${id}`, id],
  )
  const event = { message_id: `ref-${id}`, event_id: eventId, kind, detail: '', at: new Date() }
  await applyFeedback(carillon.pool, carillon.tenantId, rows[0].id, 'email', [event])
}

/** Every value replaced by its type. Shapes match if they have the same fields and types; null matches any type. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]))
}
function expectSameShape(real: unknown, example: unknown, path = 'body'): void {
  if (real === 'null' || example === 'null') return
  if (typeof real === 'string' || typeof example === 'string') {
    expect([path, real]).toEqual([path, example])
    return
  }
  expect([path, Object.keys(real as object)]).toEqual([path, Object.keys(example as object)])
  for (const [name, member] of Object.entries(real as object)) {
    if (['payload', 'details', 'relations'].includes(name)) continue
    expectSameShape(member, (example as Record<string, unknown>)[name], `${path}.${name}`)
  }
}

describe('every event', () => {
  it.each(EVERY)(
    '%s is written with the change that causes it, and looks like its example',
    { tags: 'S002-14' },
    async event => {
      const webhook = await aWebhook(carillon, { url: ENDPOINT, events: [event] })
      const other = await aWebhook(carillon, { url: ENDPOINT, events: EVERY.filter(name => name !== event) })
      await CAUSES[event]()
      const [row, ...more] = await waitingFor(carillon, webhook.id)
      expect([row?.op, more.length]).toEqual([event, 0])
      expect(await opsFor(other.id)).not.toContain(event)
      const body = JSON.parse(row!.payload)
      expectSameShape(shapeOf(body), shapeOf(WEBHOOK_EXAMPLES[event]))
      expect(body.id).toBe(row!.context.event_id)
    },
  )

  it.each(EVERY)('%s matches its schema exactly in every form', { tags: 'S002-14' }, async event => {
    const forms = []
    for (const payload_mode of PAYLOAD_MODES)
      for (const format of WEBHOOK_FORMATS)
        forms.push(await aWebhook(carillon, { url: ENDPOINT, events: [event], payload_mode, format }))
    await CAUSES[event]()
    for (const form of forms) expect(await opsFor(form.id)).toEqual([event])
  })

  it('is written once for each active webhook that subscribes to it, with the same id; inactive ones get none', {
    tags: 'S002-14',
  }, async () => {
    const first = await aWebhook(carillon, { url: ENDPOINT })
    const second = await aWebhook(carillon, { url: ENDPOINT })
    const inactive = await aWebhook(carillon, { url: ENDPOINT, is_active: false })
    await CAUSES['notification.sent']()
    const rows = [...(await waitingFor(carillon, first.id)), ...(await waitingFor(carillon, second.id))]
    expect(rows).toHaveLength(2)
    expect(rows[0]!.context.event_id).toBe(rows[1]!.context.event_id)
    expect(await opsFor(inactive.id)).toEqual([])
  })

  it('is not sent to the webhooks of another tenant', async () => {
    const other = await carillon.createTenant('with-a-webhook')
    const { body } = await carillon.request('POST', '/v1/webhooks', {
      key: other.key,
      body: { url: ENDPOINT, events: EVERY },
    })
    await CAUSES['notification.sent']()
    await CAUSES['system_event.raised']()
    expect(await opsFor(body.id)).toEqual([])
  })
})

describe('no change without its event, no event without its change', () => {
  it('an acceptance that is rolled back leaves no event', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: ['notification.accepted'] })
    const client = await carillon.pool.connect()
    const notify = `select carillon.notify('order_shipped', '{"kind":"users","user_ids":["ada"]}', '{}', channels => '{email}')`
    await client.query('begin')
    await client.query(notify)
    expect((await client.query('select from outbox where target_id = $1', [webhook.id])).rowCount).toBe(1)
    await client.query('rollback')
    client.release()
    expect(await opsFor(webhook.id)).toEqual([])
    await carillon.pool.query(notify.replace("'{}'", `'{"x": 2}'`))
    expect(await opsFor(webhook.id)).toEqual(['notification.accepted'])
  })

  it('a repeated intent, a repeated report and a second reading cause no event', async () => {
    const webhook = await aWebhook(carillon, {
      url: ENDPOINT,
      events: ['notification.accepted', 'notification.delivered', 'notification.read', 'notification.failed'],
    })
    const intent = { ...toAda, idempotency_key: 'said-twice' }
    const id = await carillon.send(intent)
    await carillon.request('POST', '/v1/intents', {
      body: {
        notification_type: 'order_shipped',
        payload: { title: 'Your order', body: 'It is on its way.' },
        ...intent,
      },
    })
    await deliver(carillon, { kind: 'sent' }, id, 'sent')
    await Promise.all([feedback(id, 'delivered'), feedback(id, 'delivered', 'another report')])
    await feedback(id, 'bounced')
    await feedback(id, 'bounced', 'bounced again')
    expect(await opsFor(webhook.id)).toEqual([
      'notification.accepted',
      'notification.delivered',
      'notification.failed',
    ])
    await CAUSES['notification.read']()
    await carillon.pool.query('update notifications set is_read = true')
    expect((await opsFor(webhook.id)).filter(op => op === 'notification.read')).toHaveLength(1)
  })

  it('a worker that lost its lease changes nothing and causes no event', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT })
    const id = await carillon.send(toAda)
    let finish = (_: Outcome) => {}
    const late = carillon.deliver(() => new Promise<Outcome>(resolve => (finish = resolve)), {
      leaseSeconds: 3600,
    })
    await expect
      .poll(
        async () => (await carillon.pool.query('select from routes where lease_owner is not null')).rowCount,
      )
      .toBe(1)
    await carillon.pool.query(
      "update routes set lease_owner = 'somebody else', claim_count = claim_count + 1 where notification_id = $1",
      [id],
    )
    finish({ kind: 'sent' })
    await late.stop()
    expect(await opsFor(webhook.id)).toEqual([])
    await carillon.pool.query('update routes set lease_owner = null, lease_until = null')
    await deliver(carillon, { kind: 'sent' }, id, 'sent')
    expect(await opsFor(webhook.id)).toEqual(['notification.sent'])
  })

  it('an attempt that will be retried causes no event; an expired route has failed', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: EVERY })
    const id = await carillon.send(toAda)
    await deliver(carillon, { kind: 'retry', message: 'busy' }, id, 'retrying')
    expect(await opsFor(webhook.id)).toEqual(['notification.accepted'])
    await carillon.pool.query(
      "update records set expires_at = now() - interval '1 second' where notification_id = $1",
      [id],
    )
    await carillon.skipWaiting()
    await deliver(carillon, { kind: 'sent' }, id, 'expired')
    const [, failed] = await waitingFor(carillon, webhook.id)
    expect(failed!.op).toBe('notification.failed')
    expect(JSON.parse(failed!.payload).data.route).toMatchObject({ status: 'expired', reason: 'deadline' })
  })

  it('cancelling a large audience before its routes exist causes an event about the notification itself', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: ['notification.cancelled'] })
    const id = await carillon.send({ audience: { kind: 'tenant' }, channels: ['email'] })
    await carillon.request('POST', `/v1/records/${id}/cancel`)
    const rows = await waitingFor(carillon, webhook.id)
    expect(rows.map(row => JSON.parse(row.payload).data)).toMatchObject([
      { notification_id: id, route_id: null, route: null },
    ])
  })

  it('routes that are skipped while an audience is expanded cause events too', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: ['notification.skipped'] })
    await carillon.send({ audience: { kind: 'tenant' }, channels: ['email'] })
    while (await expandChunk({ pool: carillon.pool, onExpanded: () => {} }));
    const rows = await waitingFor(carillon, webhook.id)
    expect(rows.map(row => JSON.parse(row.payload).data.route_id)).toEqual(['email:user:mute'])
    await carillon.pool.query(
      "update routes set next_attempt_at = null, status = 'cancelled', cancelled_at = now() where next_attempt_at is not null",
    )
  })
})

describe('the body', () => {
  it('thin: only ids, with which the rest can be read', async () => {
    const webhook = await aWebhook(carillon, {
      url: ENDPOINT,
      payload_mode: 'thin',
      events: ['notification.dead_lettered', 'system_event.raised'],
    })
    await CAUSES['notification.dead_lettered']()
    await CAUSES['system_event.raised']()
    const bodies = (await waitingFor(carillon, webhook.id)).map(row => JSON.parse(row.payload))
    expect(Object.keys(bodies[0].data)).toEqual([
      'notification_id',
      'notification_type',
      'route_id',
      'dead_letter_id',
      'inbox_id',
    ])
    const letter = await carillon.request('GET', `/v1/dead-letters/${bodies[0].data.dead_letter_id}`)
    expect(letter.body).toMatchObject({
      notification_id: bodies[0].data.notification_id,
      route_id: 'email:user:ada',
    })
    expect(Object.keys(bodies[1].data)).toEqual(['system_event_id', 'event_type'])
  })

  it('full: with the payload byte for byte, unless it is large', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: ['notification.accepted'] })
    const payload = '{"z": 1.50, "a": [1e2, "\\u00e9"],   "big": 12345678901234567890}'
    const intent = `{"notification_type":"order_shipped","audience":{"kind":"users","user_ids":["ada"]},"channels":["email"],"payload":${payload}}`
    await carillon.request('POST', '/v1/intents', { rawBody: intent })
    await carillon.send({ ...toAda, payload: { text: 'x'.repeat(17_000) } })
    const [exact, large] = await waitingFor(carillon, webhook.id)
    expect(exact!.payload).toContain(`"payload":${payload}`)
    expect(JSON.parse(large!.payload).data).toMatchObject({ payload: null, payload_omitted: true })
  })

  it('CloudEvents 1.0: the same event in another envelope, with the trace it belongs to', async () => {
    const webhook = await aWebhook(carillon, {
      url: ENDPOINT,
      format: 'cloudevents',
      events: ['notification.accepted'],
    })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const body = { notification_type: 'order_shipped', payload: { traced: true }, ...toAda }
    const { body: accepted } = await carillon.request('POST', '/v1/intents', {
      body,
      headers: { traceparent },
    })
    await carillon.send(toAda)
    const [traced, untraced] = await waitingFor(carillon, webhook.id)
    expect(traced!.context).toMatchObject({ content_type: 'application/cloudevents+json', traceparent })
    expect(JSON.parse(traced!.payload)).toEqual({
      specversion: '1.0',
      id: traced!.context.event_id,
      source: `urn:carillon:tenant:${carillon.tenantId}`,
      type: 'notification.accepted',
      subject: accepted.notification_id,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      datacontenttype: 'application/json',
      traceparent,
      data: expect.objectContaining({ notification_id: accepted.notification_id }),
    })
    expect(JSON.parse(untraced!.payload)).not.toHaveProperty('traceparent')
  })
})

describe('notification.read', () => {
  const post = (path: string, body: object = {}) => carillon.request('POST', `${path}?user_id=ada`, { body })
  const read = async (webhookId: string) => {
    const { rows } = await carillon.pool.query<{ payload: string }>(
      'select payload from outbox where target_id = $1 order by id',
      [webhookId],
    )
    return rows.map(({ payload }) => {
      const event = JSON.parse(payload)
      refuseDifference(WebhookEvent, event, 'notification.read')
      return event.data
    })
  }

  it('is told once of what came from an event, and of what is everybody’s for each person who reads it', async () => {
    const webhook = await aWebhook(carillon, { url: ENDPOINT, events: ['notification.read'] })
    await carillon.pool.query('delete from notifications')
    await carillon.pool.query(`select upsert_inbox($1, '{ada}', '{s}', '{false}', $2)`, [
      carillon.tenantId,
      JSON.stringify({ source_event_id: 1, kind: 'issue_closed', title: 'closed' }),
    ])
    const body = { type: 'maintenance', title: 'Down' }
    for (let i = 0; i < 2; i++) await carillon.request('POST', '/v1/notifications', { body })
    const { data } = (await carillon.request('GET', '/v1/inbox?user_id=ada')).body
    const [second, first, own] = data.map(({ id }: { id: string }) => id)
    for (let i = 0; i < 2; i++) {
      await post(`/v1/inbox/${own}/read`)
      await post(`/v1/inbox/${first}/read`)
      await post('/v1/inbox/read-all')
    }
    const told = await read(webhook.id)
    expect(
      told.map(({ inbox_id, notification_type, route }) => [inbox_id, notification_type, route.user_id]),
    ).toEqual([
      [own, 'issue_closed', 'ada'],
      [first, 'maintenance', 'ada'],
      [second, 'maintenance', 'ada'],
    ])
  })
})
