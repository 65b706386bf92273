import { describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const post = (intents: unknown[], headers = {}) =>
  carillon.request('POST', '/v1/intents/batch', { body: { intents }, headers })

describe('a batch of intents', () => {
  it('answers every item in order: accepted, duplicate, conflict, failed', { tags: 'S002-8' }, async () => {
    const answer = await post([
      { ...AN_INTENT, idempotency_key: 'b1' },
      { ...AN_INTENT, idempotency_key: 'b1' },
      { ...AN_INTENT, idempotency_key: 'b1', payload: { title: 'Other' } },
      { ...AN_INTENT, idempotency_key: 'b2', audience: { kind: 'users', user_ids: ['nobody'] } },
      { ...AN_INTENT, idempotency_key: 'b3' },
    ])
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ accepted: 2, duplicates: 1, failed: 2 })
    const [first, ...rest] = answer.body.items
    expect(first).toMatchObject({ status: 'accepted', duplicate: false })
    expect(rest[0]).toEqual({ ...first, duplicate: true })
    expect(rest[1]).toMatchObject({ status: 'failed', code: 'idempotency_conflict' })
    expect(rest[2]).toMatchObject({ status: 'failed', code: 'recipient_not_found' })
    expect(rest[2].errors).toEqual([
      { field: 'audience.user_ids', message: expect.stringContaining('nobody') },
    ])
    expect(rest[3]).toMatchObject({ status: 'accepted', duplicate: false })
  })

  it.each([
    ['a number', 7],
    ['null', null],
    ['an empty object', {}],
    ['an unknown audience', { ...AN_INTENT, audience: { kind: 'everybody' } }],
    ['a payload that PostgreSQL cannot hold', { ...AN_INTENT, payload: { deep: nested(20_000) } }],
  ])('%s does not sink the rest', { tags: 'S002-8' }, async (name, bad) => {
    const good = (n: number) => ({ ...AN_INTENT, idempotency_key: `${name} ${n}` })
    const answer = await carillon.request('POST', '/v1/intents/batch', {
      rawBody: `{"intents":[${[good(1), bad, good(2)].map(toJson).join(',')}]}`,
    })
    expect(answer.status).toBe(200)
    expect(answer.body.items.map((item: { status: string }) => item.status)).toEqual([
      'accepted',
      'failed',
      'accepted',
    ])
    for (const item of [answer.body.items[0], answer.body.items[2]]) {
      expect(await carillon.routesOf(item.notification_id)).toHaveLength(1)
    }
  })

  it('stores the payload of each item byte for byte', { tags: 'S000-32' }, async () => {
    const payloads = ['{ "n" : 1.50 }', '{"big":12345678901234567890}', '{\n\t"text":"\\u00e9 ]}[{"\n}']
    const items = payloads.map(
      (payload, n) =>
        `{"payload": {"earlier":1}, "payload":${payload},"idempotency_key":"bytes ${n}","notification_type":"raw","audience":{"kind":"tenant"}}`,
    )
    const answer = await carillon.request('POST', '/v1/intents/batch', {
      rawBody: `{ "intents" : [ ${items.join(' ,\n')} ] }`,
    })
    const stored = []
    for (const item of answer.body.items) {
      stored.push((await carillon.request('GET', `/v1/records/${item.notification_id}`)).body.payload_json)
    }
    expect(stored).toEqual(payloads)
  })

  it('accepts 10,000 items and refuses 10,001 as too_many_items, storing none of them', async () => {
    const before = await carillon.rowCounts()
    const item = toJson({ ...AN_INTENT, idempotency_key: 'many' })
    const many = (n: number) =>
      carillon.request('POST', '/v1/intents/batch', { rawBody: `{"intents":[${Array(n).fill(item)}]}` })
    const refused = problemOf(await many(10_001))
    expect(refused).toMatchObject({ status: 400, code: 'too_many_items' })
    expect(refused.errors).toEqual([{ field: 'intents', message: expect.stringContaining('10001') }])
    expect(await carillon.rowCounts()).toEqual(before)

    const accepted = await many(10_000)
    expect(accepted.body).toMatchObject({ accepted: 1, duplicates: 9999, failed: 0 })
    expect(accepted.body.items).toHaveLength(10_000)
  })

  it.each([
    ['no items', { intents: [] }],
    ['no array', { intents: 'all' }],
    ['another field', { intents: [AN_INTENT], items: [] }],
    ['nothing at all', undefined],
  ])('refuses a batch with %s and names the field', async (_name, body) => {
    const answer = await carillon.request('POST', '/v1/intents/batch', { body })
    expect(problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(answer.body.errors[0].field).toMatch(/^(intents|items)$/)
  })

  it('refuses one Idempotency-Key header for many items: each needs its own key', async () => {
    const before = await carillon.rowCounts()
    const answer = await post([AN_INTENT, { ...AN_INTENT, payload: { n: 2 } }], { 'idempotency-key': 'one' })
    expect(problemOf(answer)).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(answer.body.errors[0].field).toBe('idempotency_key')
    expect(await carillon.rowCounts()).toEqual(before)
  })
})

describe('the entries of a relayed stream', () => {
  it('become one record each, which has the entry’s id', { tags: 'S000-2' }, async () => {
    const entry = { ...AN_INTENT, source_entry_id: '1700000000000-0' }
    const first = await post([entry])
    const again = await post([{ ...entry, idempotency_key: 'another key' }, entry])
    const id = first.body.items[0].notification_id
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect(again.body.items).toMatchObject([
      { notification_id: id, status: 'accepted', duplicate: true },
      { notification_id: id, status: 'accepted', duplicate: true },
    ])
    const record = (await carillon.request('GET', `/v1/records/${id}`)).body
    expect(record.source_entry_id).toBe('1700000000000-0')
  })

  it('become one record even when the same entry arrives several times at once with different keys', {
    tags: 'S000-2',
  }, async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        post([{ ...AN_INTENT, source_entry_id: 'at once', idempotency_key: `at once ${n}` }]),
      ),
    )
    const ids = new Set(answers.map(answer => answer.body.items[0].notification_id))
    expect(ids.size).toBe(1)
    expect(answers.filter(answer => answer.body.accepted === 1)).toHaveLength(1)
  })

  it('belong to their producer: two streams may have entries of the same id', async () => {
    const entries = ['shop', 'billing'].map(producer => ({ ...AN_INTENT, producer, source_entry_id: 'both' }))
    const answer = await post(entries)
    expect(answer.body).toMatchObject({ accepted: 2, duplicates: 0 })
    const [shops, billings] = answer.body.items
    const withOtherKeys = entries.map(entry => ({
      ...entry,
      idempotency_key: 'another key',
      template: 'none',
    }))
    for (const again of [entries, withOtherKeys]) {
      expect((await post(again)).body.items).toEqual([
        { ...shops, duplicate: true },
        { ...billings, duplicate: true },
      ])
    }
  })

  it('are unique in the database itself', { tags: 'S000-2' }, async () => {
    await post([{ ...AN_INTENT, source_entry_id: 'unique', idempotency_key: 'original' }])
    const copy = `insert into records select (jsonb_populate_record(r, jsonb_build_object('notification_id',
      gen_random_uuid(), 'idempotency_key', 'copy'))).* from records r where source_entry_id = 'unique'`
    await expect(carillon.pool.query(copy)).rejects.toMatchObject({
      constraint: 'records_source_entry_of_producer_key',
    })
  })
})

/** JSON.stringify cannot write arrays nested this deep: toJson() puts them in afterwards. */
function nested(depth: number) {
  return { toJSON: () => `<<${depth}>>` }
}

function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/"<<(\d+)>>"/, (_, n) => '['.repeat(Number(n)) + ']'.repeat(Number(n)))
}
