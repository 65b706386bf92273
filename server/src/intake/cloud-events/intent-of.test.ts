import { CloudEvent, HTTP } from 'cloudevents'
import { describe, expect, it } from 'vitest'
import { readBinary, readStructured } from './cloud-event.ts'
import { intentOf } from './intent-of.ts'

const EVENT = {
  specversion: '1.0',
  id: '42',
  source: '/shop/orders',
  type: 'order_shipped',
  audience: 'users:ada,bob',
  data: { order_id: 48151 },
}
const MAPPED = {
  notification_type: 'order_shipped',
  idempotency_key: '/shop/orders 42',
  audience: { kind: 'users', user_ids: ['ada', 'bob'] },
  payload: { order_id: 48151 },
}

const structured = (changes: object) => ofText(JSON.stringify({ ...EVENT, ...changes }))
const ofText = (text: string) => intentOf(readStructured(text, JSON.parse(text)))
const binary = (headers: Record<string, string>, body = '{}') =>
  intentOf(readBinary(Object.entries(headers), body))
const BINARY = {
  'Content-Type': 'application/json',
  'ce-specversion': '1.0',
  'ce-id': '42',
  'ce-source': '/shop/orders',
  'ce-type': 'order_shipped',
  'ce-audience': 'tenant',
}

describe('a CloudEvent as an intent', () => {
  it('has its required attributes and data', () => {
    expect(structured({})).toMatchObject({ value: MAPPED, payloadText: '{"order_id":48151}' })
  })

  it.each<[string, object, object]>([
    ['time', { time: '2026-01-31T09:30:00Z' }, { occurred_at: '2026-01-31T09:30:00Z' }],
    ['producer', { producer: 'shop' }, { producer: 'shop' }],
    ['channels', { channels: 'email, in_app' }, { channels: ['email', 'in_app'] }],
    ['sendat', { sendat: '2999-01-01T00:00:00Z' }, { send_at: '2999-01-01T00:00:00Z' }],
    ['expirytime', { expirytime: '2999-01-01T00:00:00Z' }, { expires_at: '2999-01-01T00:00:00Z' }],
    ['template', { template: 'short' }, { template: 'short' }],
    ['reason', { reason: 'mention' }, { reason: 'mention' }],
    ['thread', { thread: 'issue/a/42' }, { thread: { kind: 'issue', id: 'a/42' } }],
    [
      'subject, dataschema and extensions that it does not know',
      { subject: 'x', dataschema: 'urn:x', mood: 7 },
      {},
    ],
    ['null as an attribute that is not there', { time: null, data_base64: null }, {}],
    ['a JSON type of its data', { datacontenttype: 'application/vnd.shop+json; charset=utf-8' }, {}],
    ['data in Base64', { data: undefined, data_base64: btoa('{"order_id": 48151}') }, {}],
    ['a topic', { audience: 'topic:shop:eu' }, { audience: { kind: 'topic', topic: 'shop:eu' } }],
    ['everybody', { audience: 'tenant' }, { audience: { kind: 'tenant' } }],
    ['the admins', { audience: 'admin_email' }, { audience: { kind: 'admin_email' } }],
    [
      'an audience as JSON text',
      { audience: '{"kind":"users","user_ids":["a,b"]}' },
      { audience: { kind: 'users', user_ids: ['a,b'] } },
    ],
    [
      'an audience in its data',
      { audience: undefined, data: { audience: { kind: 'tenant' } } },
      { audience: { kind: 'tenant' }, payload: { audience: { kind: 'tenant' } } },
    ],
  ])('understands %s', (_name, changes, mapped) => {
    const intent = structured(changes)
    expect(intent.refusal).toBeUndefined()
    expect(intent.value).toEqual({ ...MAPPED, ...mapped })
  })

  it.each<[string, object, string, string]>([
    ['without specversion', { specversion: undefined }, 'missing_field', 'specversion'],
    ['of another version', { specversion: '0.3' }, 'invalid_request', 'specversion'],
    ['without id', { id: undefined }, 'missing_field', 'id'],
    ['with an empty id', { id: '' }, 'missing_field', 'id'],
    ['with a number as id', { id: 42 }, 'invalid_request', 'id'],
    ['with a control character in its id', { id: 'a\nb' }, 'invalid_request', 'id'],
    ['without source', { source: undefined }, 'missing_field', 'source'],
    ['with a space in its source', { source: 'the shop' }, 'invalid_request', 'source'],
    ['without type', { type: undefined }, 'missing_field', 'type'],
    ['with other data than JSON', { datacontenttype: 'text/xml' }, 'invalid_request', 'datacontenttype'],
    ['with data twice', { data_base64: 'e30=' }, 'invalid_request', 'data_base64'],
    ['with Base64 of no JSON', { data: undefined, data_base64: 'AAAA' }, 'invalid_payload', 'data_base64'],
    ['with Base64 of no text', { data: undefined, data_base64: '////' }, 'invalid_payload', 'data_base64'],
    ['without audience', { audience: undefined }, 'missing_field', 'audience'],
    ['with an audience of no known form', { audience: 'ada' }, 'invalid_audience', 'audience'],
    ['with an audience that is no text', { audience: { kind: 'tenant' } }, 'invalid_audience', 'audience'],
    ['with an audience of broken JSON', { audience: '{"kind":' }, 'invalid_audience', 'audience'],
    ['with a thread without id', { thread: 'issue' }, 'invalid_request', 'thread'],
    ['with a list of channels', { channels: ['email'] }, 'invalid_request', 'channels'],
  ])('is refused %s', (_name, changes, code, field) => {
    const { refusal, value } = structured(changes)
    expect(refusal).toMatchObject({ code, errors: [{ field }] })
    if (field !== 'type') expect(value.notification_type).toBe('order_shipped')
  })

  it.each(['[]', '"text"', '7', 'null'])('is refused if it is %s', text => {
    expect(ofText(text).refusal).toMatchObject({ code: 'missing_field', errors: [{ field: 'specversion' }] })
  })

  it('keeps every byte of its data', () => {
    const data = '{ "amount": 1.50,  "id": 12345678901234567890 }'
    const text = JSON.stringify({ ...EVENT, data: '<>' }).replace('"<>"', data)
    expect(ofText(text).payloadText).toBe(data)
    expect(binary(BINARY, data).payloadText).toBe(data)
  })

  it('has a key of its own, however long its id is', () => {
    const keys = ['x', 'y'].map(end => structured({ id: 'i'.repeat(300) + end }).value.idempotency_key)
    expect(new Set(keys).size).toBe(2)
    for (const key of keys) expect(String(key).length).toBeLessThan(256)
  })

  it('may have its attributes in headers, in any case and percent-encoded', () => {
    const headers = {
      ...BINARY,
      'CE-Audience': 'users:J%C3%BCrgen%20B.',
      'ce-id': '100%',
      'x-other': 'ignored',
    }
    const { 'ce-audience': _, ...sent } = headers
    expect(binary(sent).value).toEqual({
      notification_type: 'order_shipped',
      idempotency_key: '/shop/orders 100%',
      audience: { kind: 'users', user_ids: ['Jürgen B.'] },
      payload: {},
    })
    expect(binary({ ...BINARY, 'content-type': 'text/plain' }).refusal?.errors?.[0]?.field).toBe(
      'datacontenttype',
    )
    expect(binary(BINARY, '').value.payload).toBeUndefined()
  })

  it('may have them in double quotes, which are taken off before the rest is decoded', () => {
    const keyOf = (id: string) => binary({ ...BINARY, 'ce-id': id }).value.idempotency_key
    expect(keyOf('"7"')).toBe('/shop/orders 7')
    expect(keyOf('"a \\"b\\" %C3%BC"')).toBe('/shop/orders a "b" ü')
    expect(keyOf('%22a%22')).toBe('/shop/orders "a"')
    expect(keyOf('"a" or "b"')).toBe('/shop/orders "a" or "b"')
  })

  it('brings its trace along', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    expect(structured({ traceparent }).traceparent).toBe(traceparent)
    expect(binary({ ...BINARY, 'ce-traceparent': traceparent }).traceparent).toBe(traceparent)
  })
})

describe('what the official SDK writes', () => {
  const event = new CloudEvent({
    ...EVENT,
    time: '2026-01-31T09:30:00.000Z',
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    sendat: '2999-01-01T00:00:00Z',
  })
  const expected = { ...MAPPED, occurred_at: '2026-01-31T09:30:00.000Z', send_at: '2999-01-01T00:00:00Z' }

  it('is understood in structured mode', () => {
    const { body } = HTTP.structured(event)
    expect(ofText(String(body))).toMatchObject({ value: expected, traceparent: event.traceparent })
  })

  it('is understood in binary mode', () => {
    const { headers, body } = HTTP.binary(event)
    const intent = binary(headers as Record<string, string>, String(body))
    expect(intent).toMatchObject({ value: expected, traceparent: event.traceparent })
  })

  it('says the same as we read, and refuses what we refuse', () => {
    const wrong = [{ source: 'the shop' }, { source: undefined }, { type: undefined }, { id: 42 }]
    for (const changes of wrong) {
      const sent = { ...EVENT, ...changes }
      expect(structured(changes).refusal).toBeDefined()
      expect(() => (HTTP.toEvent(asMessage(sent)) as CloudEvent<unknown>).validate()).toThrow()
    }
    const read = HTTP.toEvent(asMessage(EVENT)) as CloudEvent<unknown>
    expect(read.validate()).toBe(true)
    const { notification_type, idempotency_key, payload } = structured({}).value
    expect({ notification_type, idempotency_key, payload }).toEqual({
      notification_type: read.type,
      idempotency_key: `${read.source} ${read.id}`,
      payload: read.data,
    })
  })
})

const asMessage = (event: object) => ({
  headers: { 'content-type': 'application/cloudevents+json' },
  body: JSON.stringify(event),
})
