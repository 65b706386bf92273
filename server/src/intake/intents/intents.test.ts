import { describe, expect, it } from 'vitest'
import { AN_INTENT, problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const post = (body: unknown, headers = {}) => carillon.request('POST', '/v1/intents', { body, headers })
const count = async (table: string) =>
  Number((await carillon.pool.query(`select count(*) from ${table}`)).rows[0].count)

describe('accepting an intent', () => {
  it('commits the record and all its routes together, or neither', { tags: 'S000-4' }, async () => {
    const id = await carillon.send()
    expect(await carillon.routesOf(id)).toHaveLength(1)

    await carillon.pool.query(
      `alter table routes add constraint refuse_route check (resolved_address <> 'refuse@example.com') not valid`,
    )
    const before = await count('records')
    const answer = await post({
      ...AN_INTENT,
      audience: { kind: 'addresses', channel: 'email', addresses: ['ok@example.com', 'refuse@example.com'] },
    })
    await carillon.pool.query('alter table routes drop constraint refuse_route')
    expect(answer.status).toBe(500)
    expect(await count('records')).toBe(before)
  })

  it('stores the payload byte for byte, and the producer’s time separately from ours', {
    tags: 'S000-32',
  }, async () => {
    const payload = '{ "amount": 1.10,\n  "big": 12345678901234567890, "text": "\\u00e9", "b":1, "a":2 }'
    const answer = await carillon.request('POST', '/v1/intents', {
      rawBody: `{"payload": {"old": true}, "notification_type":"raw","audience":{"kind":"tenant"},"occurred_at":"2020-01-01T00:00:00.123Z","payload": ${payload} }`,
    })
    expect(answer.status).toBe(202)
    const record = (await carillon.request('GET', `/v1/records/${answer.body.notification_id}`)).body
    expect(record.payload_json).toBe(payload)
    expect(record.occurred_at).toBe('2020-01-01T00:00:00.123Z')
    expect(Date.parse(record.accepted_at)).toBeGreaterThan(Date.parse('2026-01-01'))
  })

  it('stores a valid traceparent and drops an invalid one', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const good = await post({ ...AN_INTENT, idempotency_key: 'traced' }, { traceparent })
    const bad = await post({ ...AN_INTENT, idempotency_key: 'untraced' }, { traceparent: 'nonsense' })
    const read = async (id: string) => (await carillon.request('GET', `/v1/records/${id}`)).body.traceparent
    expect(await read(good.body.notification_id)).toBe(traceparent)
    expect(await read(bad.body.notification_id)).toBe('')
  })
})

describe('idempotency', () => {
  it('two concurrent accepts of one key leave one row', { tags: 'S000-5' }, async () => {
    const before = await count('records')
    const body = { ...AN_INTENT, idempotency_key: 'concurrent' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)))
    expect(await count('records')).toBe(before + 1)
    expect(answers.filter(answer => answer.status === 202)).toHaveLength(1)
    expect(answers.filter(answer => answer.status === 200 && answer.body.duplicate)).toHaveLength(19)
    expect(new Set(answers.map(answer => answer.body.notification_id)).size).toBe(1)
  })

  it('holds between two real connections as well: the second waits for the first', {
    tags: 'S000-5',
  }, async () => {
    const [one, two] = [await carillon.pool.connect(), await carillon.pool.connect()]
    const call = `select carillon.notify('sql', '{"kind":"tenant"}', '{"n": 1}', idempotency_key => 'two-connections') as id`
    await one.query('begin')
    const first = (await one.query(call)).rows[0].id
    const second = two.query(call)
    const waiting = async () =>
      (
        await carillon.pool.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
      ).rowCount
    await expect.poll(waiting).toBe(1)
    await one.query('commit')
    expect((await second).rows[0].id).toBe(first)
    one.release()
    two.release()
  })

  it('the same key and content returns the first record and adds nothing', { tags: 'S000-6' }, async () => {
    const body = { ...AN_INTENT, idempotency_key: 'same' }
    const first = await post(body)
    const [records, routes] = [await count('records'), await count('routes')]
    const second = await post(body)
    expect(first.body).toMatchObject({ status: 'accepted', duplicate: false })
    expect(second.status).toBe(200)
    expect(second.body).toEqual({ ...first.body, duplicate: true })
    expect([await count('records'), await count('routes')]).toEqual([records, routes])
  })

  it('the same key with different content is a conflict: the first record stays, and the conflict is stored once as a malformed intent', {
    tags: 'S000-7',
  }, async () => {
    const first = await post({ ...AN_INTENT, idempotency_key: 'clash', producer: 'shop' })
    const other = { ...AN_INTENT, idempotency_key: 'clash', producer: 'shop', payload: { title: 'Other' } }
    const answers = [await post(other), await post(other)]
    for (const answer of answers)
      expect(problemOf(answer)).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    const record = (await carillon.request('GET', `/v1/records/${first.body.notification_id}`)).body
    expect(JSON.parse(record.payload_json)).toEqual(AN_INTENT.payload)
    const malformed = await carillon.request(
      'GET',
      '/v1/malformed-intents?failure_code=idempotency_conflict&producer=shop',
    )
    expect(malformed.body.data).toHaveLength(1)
    expect(malformed.body.data[0]).toMatchObject({
      idempotency_key: 'clash',
      failure_code: 'idempotency_conflict',
    })
  })

  it.each([
    [
      'key order and whitespace of the payload',
      { rawPayload: '{"body":"It is on its way.",  "title":"Your order"}' },
      true,
    ],
    ['request_id', { request_id: 'another' }, true],
    [
      'repeated and reordered recipients',
      { audience: addresses('b@example.com', 'a@example.com', 'b@example.com') },
      true,
    ],
    ['another payload', { payload: { title: 'Your order' } }, false],
    ['another type', { notification_type: 'order_lost' }, false],
    ['other recipients', { audience: addresses('a@example.com') }, false],
    ['another occurred_at', { occurred_at: '2026-01-02T00:00:00Z' }, false],
    ['the same channel by name', { channels: ['email'] }, true],
    [
      'another channel',
      { audience: { ...addresses('a@example.com', 'b@example.com'), channel: 'chat' } },
      false,
    ],
    ['another send_at', { send_at: '2998-01-02T00:00:00Z' }, false],
    ['the same send_at in another zone', { send_at: '2998-01-01T01:00:00+01:00' }, true],
    ['no send_at', { send_at: undefined }, false],
    ['send_at_local', { send_at: undefined, send_at_local: '2998-01-01T00:00' }, false],
    ['another expires_at', { expires_at: '2999-01-02T00:00:00Z' }, false],
    ['another reason', { reason: 'assignment' }, false],
    ['no reason', { reason: undefined }, false],
  ])(
    'what the fingerprint depends on: %s',
    { tags: 'S000-8' },
    async (name, { rawPayload, ...change }: Record<string, unknown>, isSame) => {
      const base = {
        ...AN_INTENT,
        audience: addresses('a@example.com', 'b@example.com'),
        occurred_at: '2026-01-01T00:00:00Z',
        send_at: '2998-01-01T00:00:00Z',
        expires_at: '2999-01-01T00:00:00Z',
        reason: 'mention',
        idempotency_key: `fp ${name}`,
      }
      await post(base, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' })
      const changed = JSON.stringify({ ...base, ...change })
      const rawBody =
        rawPayload === undefined ? changed : changed.replace(JSON.stringify(base.payload), String(rawPayload))
      const answer = await carillon.request('POST', '/v1/intents', { rawBody })
      expect(answer.status).toBe(isSame ? 200 : 409)
    },
  )

  it('the channels that an intent names are part of it, in any order', async () => {
    const base = { ...AN_INTENT, audience: { kind: 'tenant' }, idempotency_key: 'channels' }
    const statuses = []
    for (const channels of [['email', 'sms'], ['sms', 'email', 'sms'], ['email'], undefined]) {
      statuses.push((await post({ ...base, channels })).status)
    }
    expect(statuses).toEqual([202, 200, 409, 409])
  })

  it('an expired key can be used again, and the old record stays readable', { tags: 'S000-9' }, async () => {
    const body = { ...AN_INTENT, idempotency_key: 'expiring' }
    const first = await post(body)
    const record = (await carillon.request('GET', `/v1/records/${first.body.notification_id}`)).body
    const days = (Date.parse(record.idempotency_expires_at) - Date.parse(record.accepted_at)) / 86_400_000
    expect(days).toBe(7)
    await carillon.pool.query(
      'update records set idempotency_expires_at = now() where notification_id = $1',
      [first.body.notification_id],
    )
    const answers = await Promise.all([post(body), post(body), post(body)])
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 202])
    expect(answers[0]!.body.notification_id).not.toBe(first.body.notification_id)
    const old = await carillon.request('GET', `/v1/records/${first.body.notification_id}`)
    expect(old.body.idempotency_key).toBe('expiring')
  })

  it('two producers may use the same key', { tags: 'S000-9' }, async () => {
    const answers = await Promise.all(
      ['shop', 'billing'].map(producer => post({ ...AN_INTENT, producer, idempotency_key: 'shared' })),
    )
    expect(answers.map(answer => answer.status)).toEqual([202, 202])
  })

  it('without a key, the SHA-256 of the content is the key, with a window of its own', {
    tags: 'S002-3',
  }, async () => {
    const body = { ...AN_INTENT, payload: { title: 'No key' } }
    const [first, second] = [await post(body), await post(body)]
    expect([first.status, second.status]).toEqual([202, 200])
    const record = (await carillon.request('GET', `/v1/records/${first.body.notification_id}`)).body
    expect(record.idempotency_key).toMatch(/^[0-9a-f]{64}$/)
    expect(Date.parse(record.idempotency_expires_at) - Date.parse(record.accepted_at)).toBe(86_400_000)

    await carillon.request('PATCH', '/v1/tenant', { body: { computed_key_window_seconds: 0 } })
    expect((await post(body)).status).toBe(202)
    await carillon.request('PATCH', '/v1/tenant', { body: { computed_key_window_seconds: 86_400 } })
  })

  it('without a key, another channel or another time is another notification', async () => {
    const body = { ...AN_INTENT, payload: { title: 'Again' } }
    const later = { ...body, send_at: '2999-01-01T00:00:00Z' }
    const byChat = {
      ...body,
      audience: { kind: 'addresses', channel: 'chat', addresses: ['ada@example.com'] },
    }
    const answers = [await post(body), await post(later), await post(byChat), await post(later)]
    expect(answers.map(answer => answer.status)).toEqual([202, 202, 202, 200])
  })

  it('without a key, the same channels in another order are the same notification', async () => {
    const body = { ...AN_INTENT, audience: { kind: 'users', user_ids: ['ada'] }, payload: { title: 'Order' } }
    await carillon.putUser('ada')
    const orders = [
      ['in_app', 'email'],
      ['email', 'in_app'],
      ['email', 'in_app', 'email'],
    ]
    const answers = []
    for (const channels of orders) answers.push((await post({ ...body, channels })).status)
    expect(answers).toEqual([202, 200, 200])
  })

  it('takes the key from the header or the field, and refuses two different ones', async () => {
    const byHeader = await post(AN_INTENT, { 'idempotency-key': 'by-header' })
    const byField = await post({ ...AN_INTENT, idempotency_key: 'by-header' })
    expect([byHeader.status, byField.status]).toEqual([202, 200])
    const both = await post({ ...AN_INTENT, idempotency_key: 'one' }, { 'idempotency-key': 'two' })
    expect(problemOf(both).errors?.[0]?.field).toBe('idempotency_key')
  })
})

function addresses(...list: string[]) {
  return { kind: 'addresses', channel: 'email', addresses: list }
}
