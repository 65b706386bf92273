import { MAX_PAYLOAD_BYTES } from '@carillon/contract'
import { describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, type RequestOptions, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()

/** Must be refused as a problem with this code, name the field, and leave every table as it was. */
async function expectRefusal(options: RequestOptions, status: number, code: string, field?: string) {
  const before = await carillon.rowCounts()
  const answer = await carillon.request('POST', '/v1/intents', options)
  const problem = problemOf(answer)
  expect(problem).toMatchObject({ status, code, type: `urn:carillon:problem:${code}` })
  expect(answer.status).toBe(status)
  expect(problem.detail).not.toBe('')
  if (field !== undefined) expect(problem.errors?.map(error => error.field)).toContain(field)
  expect(await carillon.rowCounts()).toEqual(before)
  return problem
}

const change = (changes: object): RequestOptions => ({ body: { ...AN_INTENT, ...changes } })
const raw = (payload: string): RequestOptions => ({
  rawBody: JSON.stringify({ ...AN_INTENT, payload: '<>' }).replace('"<>"', payload),
})
const payloadOf = (bytes: number) => `{"text":"${'x'.repeat(bytes - 11)}"}`

describe('a body that cannot be read', () => {
  it.each([
    ['broken JSON', { rawBody: '{"notification_type": ' }, 400, 'invalid_json'],
    ['two JSON values', { rawBody: '{} {}' }, 400, 'invalid_json'],
    ['a raw NUL', { rawBody: '{"a":"\u0000"}' }, 400, 'invalid_json'],
    [
      'bytes that are not UTF-8',
      { rawBody: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) },
      400,
      'invalid_utf8',
    ],
    [
      'a lone surrogate as bytes',
      { rawBody: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]) },
      400,
      'invalid_utf8',
    ],
    ['the escape of NUL', raw('{"text":"\\u0000"}'), 400, 'unstorable_text'],
    ['the escape of NUL as a key', raw('{"\\u0000":1}'), 400, 'unstorable_text'],
    ['a lone high surrogate', raw('{"text":"\\ud83d"}'), 400, 'unstorable_text'],
    ['a lone low surrogate', raw('{"text":"\\uDE00"}'), 400, 'unstorable_text'],
    ['surrogates in the wrong order', raw('{"text":"\\ude00\\ud83d"}'), 400, 'unstorable_text'],
    ['a high surrogate before other text', raw('{"text":"\\ud83d \\ude00"}'), 400, 'unstorable_text'],
    [
      'text instead of JSON',
      { rawBody: 'hello', headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
    ],
    [
      'a form',
      { rawBody: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'unsupported_media_type',
    ],
    ['a body over 1 MiB', raw(payloadOf(1024 * 1024)), 413, 'payload_too_large'],
  ] as [string, RequestOptions, number, string][])('%s is refused', async (_name, options, status, code) => {
    await expectRefusal(options, status, code)
  })

  it.each([
    ['in the payload', raw('{"list":[{"text":"a"},{"text":"\\u0000"}]}'), 'payload.list.1.text'],
    ['as the name of a field', raw('{"inner":{"\\ud800":1}}'), 'payload.inner'],
    ['in another field', { body: { ...AN_INTENT, request_id: 'a\0b' } }, 'request_id'],
    ['in a field that comes twice', { rawBody: '{"reason":"\\u0000","reason":"a"}' }, 'body'],
    ['in a text', { rawBody: '"\\u0000"' }, 'body'],
  ])('text that cannot be stored %s is named', async (_name, options, field) => {
    await expectRefusal(options, 400, 'unstorable_text', field)
  })

  it.each([
    ['nothing', {}],
    ['an empty body', { rawBody: '' }],
    ['blanks', { rawBody: ' \n' }],
    ['null', { rawBody: 'null' }],
    ['a list', { rawBody: '[]' }],
    ['a word', { rawBody: '"intent"' }],
  ])('%s instead of an intent is refused', async (_name, options) => {
    await expectRefusal(options, 400, 'invalid_request', 'body')
  })
})

describe('an intent of the wrong shape', () => {
  it.each([
    ['no type', { notification_type: undefined }, 'missing_field', 'notification_type'],
    ['an empty type', { notification_type: '' }, 'invalid_request', 'notification_type'],
    [
      'a type of 101 characters',
      { notification_type: 'x'.repeat(101) },
      'invalid_request',
      'notification_type',
    ],
    ['a line break in the type', { notification_type: 'a\r\nb' }, 'invalid_request', 'notification_type'],
    ['a number as type', { notification_type: 7 }, 'invalid_request', 'notification_type'],
    ['no audience', { audience: undefined }, 'missing_field', 'audience'],
    ['no audience kind', { audience: {} }, 'missing_field', 'audience.kind'],
    ['an unknown audience kind', { audience: { kind: 'everybody' } }, 'invalid_audience', 'audience.kind'],
    ['no users', { audience: { kind: 'users' } }, 'invalid_recipients', 'audience.user_ids'],
    [
      'too many users',
      { audience: { kind: 'users', user_ids: Array(10_001).fill('a') } },
      'invalid_recipients',
      'audience.user_ids',
    ],
    [
      'an address list on no channel',
      { audience: { kind: 'addresses', addresses: ['a'] } },
      'missing_field',
      'audience.channel',
    ],
    [
      'a line break in an address',
      { audience: { ...AN_INTENT.audience, addresses: ['a@b.c\nBcc: d@e.f'] } },
      'invalid_recipients',
      'audience.addresses.0',
    ],
    ['an unknown channel', { channels: ['pigeon'] }, 'invalid_audience', 'channels.0'],
    ['no channels', { channels: [] }, 'invalid_audience', 'channels'],
    ['no payload', { payload: undefined }, 'missing_field', 'payload'],
    ['a list as payload', { payload: [] }, 'invalid_payload', 'payload'],
    ['null as payload', { payload: null }, 'invalid_payload', 'payload'],
    ['a key of 256 characters', { idempotency_key: 'k'.repeat(256) }, 'invalid_request', 'idempotency_key'],
    ['a time without a zone', { send_at: '2030-01-01T00:00:00' }, 'invalid_timestamp', 'send_at'],
    ['a day that does not exist', { send_at: '2030-02-30T00:00:00Z' }, 'invalid_timestamp', 'send_at'],
    [
      'a year that does not exist',
      { occurred_at: '0000-01-01T00:00:00Z' },
      'invalid_timestamp',
      'occurred_at',
    ],
    ['an absurd zone', { occurred_at: '2030-01-01T00:00:00+23:59' }, 'invalid_timestamp', 'occurred_at'],
    [
      'a second of 200 digits',
      { occurred_at: `2030-01-01T00:00:00.${'1'.repeat(200)}Z` },
      'invalid_timestamp',
      'occurred_at',
    ],
    [
      'an end before the start',
      { send_at: '2031-01-01T00:00:00Z', expires_at: '2030-01-01T00:00:00Z' },
      'invalid_timestamp',
      'expires_at',
    ],
  ])('%s is refused', async (_name, changes, code, field) => {
    await expectRefusal(change(changes), 400, code, field)
  })

  const { notification_type: _, ...untyped } = AN_INTENT
  it.each([
    [{ ...untyped, notificaton_type: 'x' }, 'notificaton_type', 'notification_type'],
    [{ ...AN_INTENT, sendAt: '2030-01-01T00:00:00Z' }, 'sendAt', 'send_at'],
    [{ ...AN_INTENT, source_entry_id: '1-0' }, 'source_entry_id', undefined],
    [{ ...AN_INTENT, audience: { kind: 'users', user_id: ['ada'] } }, 'audience.user_id', 'user_ids'],
    [{ ...AN_INTENT, audience: { kind: 'tenant', zzzzzzz: 1 } }, 'audience.zzzzzzz', undefined],
  ])('an unknown field is refused, and the intended one is suggested: %#', async (body, field, meant) => {
    const answer = problemOf(await carillon.request('POST', '/v1/intents', { body }))
    const message = meant === undefined ? 'Unknown field.' : `Unknown field; did you mean "${meant}"?`
    expect(answer.status).toBe(400)
    expect(answer.errors).toContainEqual({ field, message })
  })

  it.each(['', 'k'.repeat(256)])('an unusable Idempotency-Key header is refused: %#', async key => {
    await expectRefusal(
      { body: AN_INTENT, headers: { 'idempotency-key': key } },
      400,
      'invalid_request',
      'idempotency_key',
    )
  })
})

describe('a payload at the limit', () => {
  it('of 65 KiB, or one byte over 64 KiB, is refused; exactly 64 KiB is accepted', async () => {
    await expectRefusal(raw(payloadOf(65 * 1024)), 413, 'payload_too_large', 'payload')
    await expectRefusal(raw(payloadOf(MAX_PAYLOAD_BYTES + 1)), 413, 'payload_too_large', 'payload')
    const accepted = await carillon.request('POST', '/v1/intents', raw(payloadOf(MAX_PAYLOAD_BYTES)))
    expect(accepted.status).toBe(202)
  })

  it('counts bytes, not characters', async () => {
    await expectRefusal(raw(`{"text":"${'é'.repeat(33_000)}"}`), 413, 'payload_too_large', 'payload')
  })

  it.each([
    ['a number beyond all limits', '{"n":1e999999}'],
    ['numbers that would fill the memory', `{"n":[${Array(7000).fill('1e99999')}]}`],
    ['fractions that would fill the memory', `{"n":[${Array(7000).fill('1e-9999')}]}`],
  ])('with %s is refused before anything computes with it', async (_name, payload) => {
    const { detail } = await expectRefusal(raw(payload), 400, 'invalid_payload', 'payload')
    expect(detail).toContain('10^1000')
  })

  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
  it.each([101, 5_000, 30_000])('nested %i deep is refused', async depth => {
    await expectRefusal(raw(nested(depth)), 400, 'invalid_payload', 'payload')
  })

  it.each([101, 5_000])('nested %i deep is refused by SQL and in a batch too', async depth => {
    const byName = `select carillon.notify('deep', '{"kind":"tenant"}', $1::json)`
    const inDocument = `select carillon.notify(jsonb_build_object('notification_type', 'deep',
      'audience', '{"kind":"tenant"}'::jsonb, 'payload', $1::jsonb))`
    for (const statement of [byName, inDocument])
      await expect(carillon.pool.query(statement, [nested(depth)])).rejects.toMatchObject({
        code: '22023',
        column: 'payload',
      })
    const item = (payload: string) =>
      `{"notification_type":"deep","audience":{"kind":"tenant"},"payload":${payload}}`
    const { body } = await carillon.request('POST', '/v1/intents/batch', {
      rawBody: `{"intents":[${item(nested(depth))},${item(nested(50 + (depth % 7)))}]}`,
    })
    expect(body).toMatchObject({ accepted: 1, failed: 1, items: [{ code: 'invalid_payload' }, {}] })
  })

  it('of any other route is refused when it is nested too deeply', async () => {
    const rawBody = `{"name":"${'['.repeat(500)}","footer":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    const refused = await carillon.request('PATCH', '/v1/branding', { rawBody })
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_json'])
    const fine = await carillon.request('PATCH', '/v1/branding', { body: { footer: '[{"'.repeat(300) } })
    expect(fine.status).toBe(200)
  })

  it('nested 100 deep is accepted', async () => {
    expect((await carillon.request('POST', '/v1/intents', raw(nested(100)))).status).toBe(202)
  })

  it('is stored unchanged with text that only looks dangerous, and with large numbers that fit', async () => {
    const payload = '{"code":"v1e99999, \\\\u0000 \\ud83d\\ude00", "n":1e300, "nested":[[[[1]]]]}'
    const answer = await carillon.request('POST', '/v1/intents', raw(payload))
    expect(answer.status).toBe(202)
    const record = await carillon.request('GET', `/v1/records/${answer.body.notification_id}`)
    expect(record.body.payload_json).toBe(payload)
  })
})
