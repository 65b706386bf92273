import { beforeAll, describe, expect, it } from 'vitest'
import { AN_INTENT, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const post = (intents: unknown[]) => carillon.request('POST', '/v1/intents/batch', { body: { intents } })
const postRaw = (item: string) =>
  carillon.request('POST', '/v1/intents/batch', { rawBody: `{"intents":[${item}]}` })
const stored = async (entryId: string) =>
  (await carillon.readAll('/v1/malformed-intents')).filter(row => row.source_entry_id === entryId)

const users = (...user_ids: unknown[]) => ({ kind: 'users', user_ids })

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putType('invoice', {
    channels: ['email'],
    producers: ['billing'],
    audience_kinds: ['users'],
    required_fields: ['amount'],
  })
  await post([{ ...AN_INTENT, producer: 'shop', idempotency_key: 'taken' }])
})

const invoice = {
  notification_type: 'invoice',
  producer: 'billing',
  audience: users('ada'),
  payload: { amount: 1 },
}

describe('an entry that cannot be accepted', () => {
  it.each([
    ['recipient_not_found', 'ghost', { audience: users('ada', 'ghost') }],
    [
      'idempotency_conflict',
      'taken',
      { producer: 'shop', idempotency_key: 'taken', payload: { title: 'x' } },
    ],
    ['missing_field', 'payload', { payload: undefined }],
    ['missing_field', 'notification_type', { notification_type: undefined }],
    ['unsupported_type', 'unheard_of', { notification_type: 'unheard_of' }],
    ['invalid_producer', 'billing', { ...invoice, producer: 'shop' }],
    ['invalid_audience', 'audience.kind', { audience: { kind: 'everybody' } }],
    ['invalid_audience', 'users', { ...invoice, audience: { kind: 'tenant' } }],
    ['invalid_audience', 'audience.user_ids', { audience: { kind: 'admin_email', user_ids: ['ada'] } }],
    ['invalid_recipients', 'audience.user_ids', { audience: users() }],
    ['invalid_recipients', 'audience.user_ids.1', { audience: users('ada', 7) }],
    ['invalid_timestamp', 'occurred_at', { occurred_at: 'yesterday' }],
    ['invalid_timestamp', 'expires_at', { expires_at: '2001-01-01T00:00:00Z' }],
    ['invalid_payload', 'payload', { payload: 'text' }],
    ['invalid_payload', 'amount', { ...invoice, payload: { total: 1 } }],
    ['payload_too_large', 'payload', { payload: { text: 'x'.repeat(65_536) } }],
  ])(
    'is stored once as %s, and the message names %s',
    { tags: ['S000-28', 'S000-29'] },
    async (code, named, change) => {
      if (code === 'unsupported_type') await acceptUnknownTypes(false)
      const id = `entry ${code} ${named}`
      const good = { ...invoice, idempotency_key: `after ${id}` }
      const bad = JSON.parse(JSON.stringify({ ...AN_INTENT, ...change, source_entry_id: id }))
      const before = await carillon.rowCounts()
      const answers = [await post([bad, good]), await post([bad, good])]
      await acceptUnknownTypes(true)

      for (const { body } of answers) expect(body.items[0]).toMatchObject({ status: 'failed', code })
      expect(answers.map(({ body }) => body.items[1].status)).toEqual(['accepted', 'accepted'])
      const rows = await stored(id)
      expect(rows).toHaveLength(1)
      expect(rows[0]).toMatchObject({
        source: 'http',
        failure_code: code,
        failure_message: expect.stringContaining(named),
        notification_type: bad.notification_type ?? '',
        producer: bad.producer ?? 'api',
        idempotency_key: bad.idempotency_key ?? '',
        raw_fields: bad,
      })
      expect(await carillon.rowCounts()).toMatchObject({
        records: before.records! + 1,
        malformed_intents: before.malformed_intents! + 1,
      })
    },
  )

  it('is stored without what is attached, however deeply it is nested and however often it is named', async () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const item = (id: string, levels: number) =>
      `{"source_entry_id": "${id}", "email": {"attachments": ["hidden"], "attachments": "hidden"}, "email": {"attachments": 1.50}, "a": ${deep(levels)}}`
    for (const levels of [1, 20_000]) {
      const { status, body } = await postRaw(item(`attached ${levels}`, levels))
      expect([status, body.items[0].status]).toEqual([200, 'failed'])
      const [row] = await stored(`attached ${levels}`)
      expect(JSON.stringify(row.raw_fields)).toContain('(left out)')
      expect(JSON.stringify(row.raw_fields)).not.toMatch(/hidden|1\.5/)
    }
  })

  it('is stored exactly as received, with every digit of its numbers', { tags: 'S000-28' }, async () => {
    await postRaw(`{"source_entry_id": "exact", "payload": 12345678901234567890.10}`)
    const { rows } = await carillon.pool.query(
      `select raw_fields::text as raw from malformed_intents where source_entry_id = 'exact'`,
    )
    expect(rows[0].raw).toContain('12345678901234567890.10')
  })

  it.each([
    ['arrays nested deeper than the database can hold', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['a number larger than the database can hold', '1e999999'],
  ])('is stored as text when it has %s', { tags: 'S000-28' }, async (name, value) => {
    const item = `{"source_entry_id":"${name}","notification_type":"odd","payload":{"v":${value}},"audience":{"kind":"tenant"}}`
    const answer = await postRaw(`${item},${JSON.stringify({ ...invoice, idempotency_key: name })}`)
    expect(answer.body.items.map((each: { status: string }) => each.status)).toEqual(['failed', 'accepted'])
    expect((await stored(name))[0]).toMatchObject({ failure_code: expect.any(String), raw_fields: item })
  })

  it('is stored even when the length limit of a field falls inside a character', {
    tags: 'S000-28',
  }, async () => {
    const type = `${'x'.repeat(254)}😀`
    await post([{ ...AN_INTENT, notification_type: type, source_entry_id: 'across' }])
    expect((await stored('across'))[0]).toMatchObject({ raw_fields: { notification_type: type } })
  })

  it('is not stored when it has no entry id: the caller got the answer', async () => {
    const before = await carillon.rowCounts()
    await post([{ ...AN_INTENT, payload: 7 }, null, 'text'])
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('belongs to its tenant: another one has its own entry with the same id', async () => {
    const other = await carillon.createTenant('malformed-elsewhere')
    const body = { intents: [{ source_entry_id: 'shared' }] }
    await carillon.request('POST', '/v1/intents/batch', { body })
    await carillon.request('POST', '/v1/intents/batch', { body, key: other.key })
    expect(await stored('shared')).toHaveLength(1)
    expect(await carillon.readAll('/v1/malformed-intents', 100, other.key)).toHaveLength(1)
  })
})

it('belongs to its producer: another one has its own entry with the same id', async () => {
  const entry = (producer?: string) => ({ ...AN_INTENT, payload: 7, source_entry_id: 'two', producer })
  await post([entry('shop'), entry('billing'), entry(), entry('shop')])
  const paged = async (limit: number) =>
    (await carillon.readAll('/v1/malformed-intents', limit)).filter(row => row.source_entry_id === 'two')
  const rows = await paged(100)
  expect(rows.map(row => row.producer).sort()).toEqual(['api', 'billing', 'shop'])
  expect(await paged(1)).toEqual(rows)
})

async function acceptUnknownTypes(accept_unknown_types: boolean): Promise<void> {
  await carillon.request('PATCH', '/v1/tenant', { body: { accept_unknown_types } })
}
