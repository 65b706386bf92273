/** CloudEvents over HTTP, as the official SDK sends them. */
import { CloudEvent, HTTP } from 'cloudevents'
import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const AUDIENCE = '{"kind":"addresses","channel":"email","addresses":["ada@example.com"]}'
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
/** undefined removes an attribute. */
function anEvent(changes: object = {}) {
  const attributes = {
    id: 'e1',
    source: '/shop',
    type: 'order_shipped',
    audience: AUDIENCE,
    data: { title: 'Your order', amount: 1.5 },
    ...changes,
  }
  return new CloudEvent(
    Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
  )
}

interface Message {
  headers: object
  body: unknown
}
const post = (path: string, message: Message, headers: Record<string, string> = {}) =>
  carillon.request('POST', path, {
    rawBody: String(message.body),
    headers: { ...(message.headers as Record<string, string>), ...headers },
  })
const recordOf = async (id: string) =>
  (await carillon.pool.query('select * from records where notification_id = $1', [id])).rows[0]
const batchOf = (events: unknown[]): Message => ({
  headers: { 'content-type': 'application/cloudevents-batch+json; charset=utf-8' },
  body: JSON.stringify(events),
})

describe('POST /v1/intents', () => {
  it('takes an event in structured mode, and the same one in binary mode is a duplicate', async () => {
    const event = anEvent({ id: 'both', time: '2026-01-31T09:30:00.000Z', traceparent: TRACE })
    const first = await post('/v1/intents', HTTP.structured(event), {
      traceparent: `00-${'c'.repeat(49)}-01`,
    })
    expect([first.status, first.body.duplicate]).toEqual([202, false])
    const again = await post('/v1/intents', HTTP.binary(event))
    expect([again.status, again.body.notification_id, again.body.duplicate]).toEqual([
      200,
      first.body.notification_id,
      true,
    ])
    expect(await recordOf(first.body.notification_id)).toMatchObject({
      notification_type: 'order_shipped',
      producer: 'api',
      idempotency_key: '/shop both',
      payload_json: '{"title":"Your order","amount":1.5}',
      occurred_at: new Date('2026-01-31T09:30:00Z'),
      traceparent: TRACE,
    })
  })

  it('refuses another content under the same source and id', async () => {
    await post('/v1/intents', HTTP.structured(anEvent({ id: 'twice' })))
    const other = await post('/v1/intents', HTTP.binary(anEvent({ id: 'twice', data: { title: 'Other' } })))
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
  })

  it.each<[string, object, Record<string, string>, string, string]>([
    ['a missing audience', { audience: undefined }, {}, 'missing_field', 'audience'],
    ['an unusable time', { sendat: 'tomorrow' }, {}, 'invalid_timestamp', 'sendat'],
    ['data that is no object', { data: ['a'] }, {}, 'invalid_payload', 'data'],
    ['no data', { data: undefined }, {}, 'missing_field', 'data'],
    ['a type that is too long', { type: 'x'.repeat(101) }, {}, 'invalid_request', 'type'],
    ['another key beside its id', {}, { 'idempotency-key': 'k' }, 'invalid_request', 'id'],
    ['people who do not exist', { audience: 'users:nobody' }, {}, 'recipient_not_found', 'audience.user_ids'],
    [
      'an address that is none',
      { audience: AUDIENCE.replace('@', ' ') },
      {},
      'invalid_recipients',
      'audience.addresses.0',
    ],
  ])('names the attribute that is wrong: %s', async (_name, changes, headers, code, field) => {
    const answer = await post('/v1/intents', HTTP.structured(anEvent({ id: _name, ...changes })), headers)
    expect({ code: answer.body.code, field: answer.body.errors?.[0]?.field }).toEqual({ code, field })
    if (field === 'sendat') expect(answer.body.detail).toMatch(/^sendat: /)
    expect(answer.headers['content-type']).toMatch('application/problem+json')
  })

  it('names a field of data that the type requires', async () => {
    await carillon.putType('invoice', {
      channels: ['email'],
      audience_kinds: ['addresses'],
      required_fields: ['due'],
    })
    const { body } = await post('/v1/intents', HTTP.binary(anEvent({ type: 'invoice', id: 'r' })))
    expect([body.code, body.errors[0].field]).toEqual(['invalid_payload', 'data.due'])
  })

  it('sends as the producers of the key, and as no other', async () => {
    const { key } = await carillon.createKey({ name: 'shop', scopes: ['intents:write'], producers: ['shop'] })
    const sendAs = (producer: string | undefined) =>
      carillon.request('POST', '/v1/intents', {
        key,
        rawBody: String(HTTP.structured(anEvent({ id: `as ${producer}`, producer })).body),
        headers: { 'content-type': 'application/cloudevents+json' },
      })
    const own = await sendAs(undefined)
    expect((await recordOf(own.body.notification_id)).producer).toBe('shop')
    expect((await sendAs('till')).body.code).toBe('invalid_producer')
  })

  it('can be simulated', async () => {
    const before = await carillon.rowCounts()
    const { status, body } = await post('/v1/intents/simulate', HTTP.binary(anEvent({ id: 'simulated' })))
    expect([status, body.people.length]).toEqual([200, 1])
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('is not taken for an intent, nor an intent for an event', async () => {
    const typed = (path: string, type: string, body: string) =>
      carillon.request('POST', path, { rawBody: body, headers: { 'content-type': type } })
    const wrong = [
      await typed('/v1/intents', 'application/cloudevents-batch+json', '[]'),
      await typed('/v1/intents/batch', 'application/cloudevents+json', '{}'),
      await typed('/v1/webhooks', 'application/cloudevents+json', '{}'),
      await typed('/v1/intents', 'application/problem+json', '{}'),
    ]
    expect(wrong.map(({ status }) => status)).toEqual([415, 415, 415, 415])
    expect(wrong[0]!.body.detail).toBe(
      'The content type must be application/json or application/cloudevents+json here.',
    )
    const intent = await typed('/v1/intents', 'application/cloudevents+json', '{"notification_type":"a"}')
    expect(intent.body).toMatchObject({ code: 'missing_field', errors: [{ field: 'specversion' }] })
  })
})

describe('POST /v1/intents/batch', () => {
  it('answers every event of a batch', async () => {
    // the same one twice: two that are made have the times when they were made
    const twice = anEvent({ id: 'b1' }).toJSON()
    const events = [twice, { ...anEvent({ id: 'b2' }).toJSON(), source: undefined }, 'no event', twice]
    const { status, body } = await post('/v1/intents/batch', batchOf(events))
    expect([status, body.accepted, body.duplicates, body.failed]).toEqual([200, 1, 1, 2])
    expect(body.items[1]).toMatchObject({ code: 'missing_field', errors: [{ field: 'source' }] })
    expect(body.items[2]).toMatchObject({ code: 'missing_field', errors: [{ field: 'specversion' }] })
  })

  it('may be empty, and must be a list', async () => {
    expect((await post('/v1/intents/batch', batchOf([]))).body).toMatchObject({ accepted: 0, items: [] })
    const one = await post('/v1/intents/batch', { ...batchOf([]), body: '{}' })
    expect([one.status, one.body.code]).toEqual([400, 'invalid_request'])
  })
})

describe('POST /v1/events', () => {
  const happened = (changes: object = {}) =>
    new CloudEvent({ id: 'h1', source: '/tracker', type: 'issue_closed', data: { number: 7 }, ...changes })

  it('takes an event in both modes', async () => {
    const event = happened({
      actor: 'ada',
      topic: 'shop',
      thread: 'issue/7',
      public: false,
      relations: '{"mention":["eve"]}',
      traceparent: TRACE,
    })
    const first = await post('/v1/events', HTTP.structured(event))
    const again = await post('/v1/events', HTTP.binary(event))
    expect([first.status, again.status, again.body]).toEqual([202, 200, { ...first.body, duplicate: true }])
    const { body } = await carillon.request('GET', `/v1/events/${first.body.event_id}`)
    expect(body).toMatchObject({
      kind: 'issue_closed',
      actor_id: 'ada',
      topic: 'shop',
      thread: { kind: 'issue', id: '7' },
      is_public: false,
      relations: { mention: ['eve'] },
      payload_json: '{"number":7}',
      idempotency_key: '/tracker h1',
    })
  })

  it('takes a batch, with relations in data, and names what is wrong', async () => {
    const events = [
      happened({ id: 'h2', data: { relations: { mention: ['bob'] } } }).toJSON(),
      happened({ id: 'h3', public: 'maybe' }).toJSON(),
      happened({ id: 'h4', relations: '{' }).toJSON(),
      happened({ id: 'h5', type: 'x'.repeat(65) }).toJSON(),
    ]
    const { body } = await post('/v1/events/batch', batchOf(events))
    const fields = body.items.map((item: { errors?: { field: string }[] }) => item.errors?.[0]?.field)
    expect(fields).toEqual([undefined, 'public', 'relations', 'type'])
  })
})
