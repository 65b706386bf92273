import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { transaction } from '../../platform/database/pool.ts'

const carillon = useCarillon()
const TO_ADA = `audience => '{"kind":"users","user_ids":["ada"]}'`
const notify = (args: string) => `select carillon.notify(${args}) as id`
const call = async (args: string): Promise<string> => (await carillon.pool.query(notify(args))).rows[0].id
const record = async (id: string) => carillon.request('GET', `/v1/records/${id}`)

beforeAll(() => carillon.putUser('ada', { email: 'ada@example.com' }))

const notifyBy = async (intent: object): Promise<string> =>
  (await carillon.pool.query('select carillon.notify($1::jsonb) as id', [JSON.stringify(intent)])).rows[0].id
const ORDER = {
  notification_type: 'ordered',
  audience: { kind: 'users', user_ids: ['ada'] },
  payload: { z: 1, a: [1.5, null] },
}

describe('carillon.notify(intent jsonb)', () => {
  it('takes the fields of the HTTP body', async () => {
    const id = await notifyBy({
      ...ORDER,
      producer: 'shop',
      idempotency_key: 'order-1',
      channels: ['push', 'email', 'push'],
      send_at: '2031-01-01T00:00:00Z',
      expires_at: '2032-01-01T00:00:00Z',
      occurred_at: '2026-01-01T00:00:00.25+01:00',
      request_id: 'r-1',
      reason: 'mention',
    })
    expect((await record(id)).body).toMatchObject({
      source: 'sql',
      producer: 'shop',
      idempotency_key: 'order-1',
      channels: ['push', 'email'],
      send_at: '2031-01-01T00:00:00.000Z',
      expires_at: '2032-01-01T00:00:00.000Z',
      occurred_at: '2025-12-31T23:00:00.250Z',
      request_id: 'r-1',
      reason: 'mention',
    })
  })

  it('takes the tenant and the trace, which HTTP has outside the body', async () => {
    const other = await carillon.createTenant('by-document')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const id = await notifyBy({
      ...ORDER,
      audience: { kind: 'tenant' },
      tenant: 'by-document',
      traceparent,
    })
    expect((await record(id)).status).toBe(404)
    const seen = await carillon.request('GET', `/v1/records/${id}`, { key: other.key })
    expect(seen.body.traceparent).toBe(traceparent)
  })

  it('stores the payload as jsonb writes it: the same content, with sorted keys and its own spacing', async () => {
    const id = await notifyBy({ ...ORDER, idempotency_key: 'as-jsonb' })
    expect((await record(id)).body.payload_json).toBe('{"a": [1.5, null], "z": 1}')
  })

  it('means the same intent as over HTTP and as with one argument per field, with or without a key', {
    tags: 'S000-8',
  }, async () => {
    for (const key of [{}, { idempotency_key: 'three ways' }]) {
      const intent = { ...ORDER, producer: 'three', occurred_at: '2026-01-01T00:00:00.123456Z', ...key }
      const http = await carillon.request('POST', '/v1/intents', { body: intent })
      expect(http.status).toBe(202)
      const { rows } = await carillon.pool.query(
        `select carillon.notify('ordered', $1, $2, producer => 'three', idempotency_key => $3,
           occurred_at => '2026-01-01T00:00:00.123456Z') as id`,
        [ORDER.audience, '{"z":1,  "a":[1.5,null]}', key.idempotency_key ?? null],
      )
      expect([await notifyBy(intent), rows[0].id]).toEqual(Array(2).fill(http.body.notification_id))
    }
  })

  it.each([
    [{ ...ORDER, recipient: 'ada' }, 'recipient', 'invalid_request: "recipient" is not a field of an intent'],
    [{ ...ORDER, reason: null }, 'reason', 'invalid_request: reason must be a string'],
    [{ ...ORDER, tenant: 'nobody' }, 'tenant', 'invalid_request: no tenant is named "nobody"'],
    [{ ...ORDER, tenant: null }, 'tenant', 'invalid_request: tenant must be a string'],
    [{ ...ORDER, traceparent: 7 }, 'traceparent', 'invalid_request: traceparent must be a string'],
    [{ ...ORDER, payload: undefined }, 'payload', 'missing_field: payload is required'],
  ])('raises for bad input and names it: %j', async (intent, column, message) => {
    const before = await carillon.rowCounts()
    const error = { code: '22023', column, message: `carillon.notify: ${message}` }
    await expect(notifyBy(intent)).rejects.toMatchObject(error)
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('raises for no intent at all', async () => {
    await expect(carillon.pool.query('select carillon.notify(null::jsonb)')).rejects.toThrow(
      'an intent is a JSON object',
    )
  })
})

it('the statements in the README and the guide are all the same intent', async () => {
  const texts = ['README.md', 'docs/guides/sql.md'].map(name =>
    readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8'),
  )
  const statements = texts.flatMap(text => text.match(/^select carillon\.notify\([^;]*;/gm) ?? [])
  const orders = 'with orders (id, customer) as (values (1842, $$ada$$))'
  const ids = []
  for (const statement of statements)
    ids.push(Object.values((await carillon.pool.query(`${orders} ${statement}`)).rows[0])[0])
  expect(ids).toEqual(Array(4).fill(ids[0]))
})

describe('carillon.notify() with one argument per field', () => {
  it('accepts with the caller’s commit: nothing is visible before it, and the routes are due after it', async () => {
    const client = await carillon.pool.connect()
    await client.query('begin')
    const { id } = (await client.query(notify(`'paid', ${TO_ADA}, payload => '{"n":1}'`))).rows[0]
    expect((await record(id)).status).toBe(404)
    await client.query('commit')
    client.release()
    expect((await record(id)).body).toMatchObject({
      source: 'sql',
      producer: expect.stringMatching(/^sql:./),
      notification_type: 'paid',
    })
    const routes = await carillon.routesOf(id)
    expect(routes.map(route => [route.route_id, route.status])).toEqual([
      ['email:user:ada', 'pending'],
      ['in_app:user:ada', 'pending'],
    ])
  })

  it('leaves nothing when the caller rolls back', async () => {
    const before = await carillon.rowCounts()
    const rolledBack = transaction(carillon.pool, async tx => {
      await tx.query(notify(`'gone', ${TO_ADA}, payload => '{}'`))
      throw new Error('the order failed')
    })
    await expect(rolledBack).rejects.toThrow('the order failed')
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('returns the first id for the same key and content, and adds nothing', { tags: 'S000-6' }, async () => {
    const args = `'twice', ${TO_ADA}, payload => '{"n":1}', idempotency_key => 'twice'`
    const first = await call(args)
    const before = await carillon.rowCounts()
    expect(await call(args)).toBe(first)
    expect(await carillon.rowCounts()).toEqual(before)
  })

  it('raises a unique violation for the same key with different content', { tags: 'S000-7' }, async () => {
    const first = await call(`'clash', ${TO_ADA}, payload => '{"n":1}', idempotency_key => 'clash'`)
    await expect(
      call(`'clash', ${TO_ADA}, payload => '{"n":2}', idempotency_key => 'clash'`),
    ).rejects.toMatchObject({
      code: '23505',
      column: 'idempotency_key',
      message: expect.stringContaining(first),
    })
    expect((await record(first)).body.payload_json).toBe('{"n":1}')
  })

  it('recognises an intent that came over HTTP, and vice versa', { tags: 'S000-8' }, async () => {
    const http = (n: number, payload: string) =>
      carillon.request('POST', '/v1/intents', {
        rawBody: `{"notification_type":"both","producer":"shop","idempotency_key":"both ${n}","occurred_at":"2026-01-01T00:00:00.250+01:00",
          "audience":{"kind":"users","user_ids":["ada","ada"]},"payload":${payload}}`,
      })
    const sql = (n: number) =>
      call(`'both', ${TO_ADA}, payload => '{"a":1,"b":[true,null,"é"]}', producer => 'shop',
        idempotency_key => 'both ${n}', occurred_at => '2025-12-31T23:00:00.25Z'`)
    const byHttp = await http(1, '{ "b": [true, null, "\\u00e9"], "a": 1 }')
    expect(await sql(1)).toBe(byHttp.body.notification_id)
    const bySql = await sql(2)
    expect((await http(2, '{"a":1,"b":[true,null,"é"]}')).body).toMatchObject({
      notification_id: bySql,
      duplicate: true,
    })
  })

  it('stores the payload byte for byte', { tags: 'S000-32' }, async () => {
    const payload = '{ "b" : 1.50,\n "a":"\\u00e9", "a": 2 }'
    const { rows } = await carillon.pool.query(notify(`'raw', ${TO_ADA}, payload => $1`), [payload])
    expect((await record(rows[0].id)).body.payload_json).toBe(payload)
  })

  it('takes the optional fields: channels, times, trace', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const id =
      await call(`'later', ${TO_ADA}, payload => '{}', channels => '{push}', traceparent => '${traceparent}',
      send_at => '2031-01-01T00:00:00Z', expires_at => '2032-01-01T00:00:00Z'`)
    expect((await record(id)).body).toMatchObject({
      channels: ['push'],
      traceparent,
      send_at: '2031-01-01T00:00:00.000Z',
      expires_at: '2032-01-01T00:00:00.000Z',
    })
    expect((await carillon.routesOf(id))[0]!.next_attempt_at).toBe('2031-01-01T00:00:00.000Z')
  })

  it('drops a malformed traceparent', async () => {
    const id = await call(`'traced', ${TO_ADA}, payload => '{}', traceparent => 'nonsense'`)
    expect((await record(id)).body.traceparent).toBe('')
  })

  it('accepts for the tenant that is named', async () => {
    const other = await carillon.createTenant('shop-eu')
    const id = await call(`'t', '{"kind":"tenant"}', payload => '{}', tenant => 'shop-eu'`)
    expect((await record(id)).status).toBe(404)
    const seen = await carillon.request('GET', `/v1/records/${id}`, { key: other.key })
    expect(seen.body.notification_id).toBe(id)
  })

  it.each([
    [`null, ${TO_ADA}, payload => '{}'`, 'notification_type'],
    [`'', ${TO_ADA}, payload => '{}'`, 'notification_type'],
    [`repeat('x', 101), ${TO_ADA}, payload => '{}'`, 'notification_type'],
    [`E'a\\nb', ${TO_ADA}, payload => '{}'`, 'notification_type'],
    [`'t', ${TO_ADA}, payload => null`, 'payload'],
    [`'t', ${TO_ADA}, payload => '[1]'`, 'payload'],
    [`'t', ${TO_ADA}, payload => '{"a":"\\u0000"}'`, 'payload'],
    [`'t', ${TO_ADA}, payload => '{"a":1e99999}'`, 'payload'],
    [`'t', ${TO_ADA}, payload => json_build_object('a', repeat('x', 65536))`, 'payload_too_large'],
    [`'t', ${TO_ADA}, payload => '{}', idempotency_key => ''`, 'idempotency_key'],
    [`'t', ${TO_ADA}, payload => '{}', idempotency_key => repeat('k', 256)`, 'idempotency_key'],
    [`'t', ${TO_ADA}, payload => '{}', producer => repeat('p', 101)`, 'producer'],
    [`'t', ${TO_ADA}, payload => '{}', producer => ''`, 'producer'],
    [`'t', ${TO_ADA}, payload => '{}', channels => '{pigeon}'`, 'channels'],
    [`'t', ${TO_ADA}, payload => '{}', channels => '{}'`, 'channels'],
    [`'t', ${TO_ADA}, payload => '{}', channels => '{null}'`, 'channels'],
    [`'t', ${TO_ADA}, payload => '{}', expires_at => now() - interval '1 s'`, 'expires_at'],
    [`'t', ${TO_ADA}, payload => '{}', tenant => 'nobody'`, 'nobody'],
    [`'t', ${TO_ADA}, payload => '{}', tenant => null`, 'tenant'],
    [`'t', ${TO_ADA}, payload => '{}', send_at => 'infinity'`, 'send_at'],
    [`'t', null, payload => '{}'`, 'audience'],
    [`'t', '"users"', payload => '{}'`, 'audience'],
    [`'t', '{"kind":"everybody"}', payload => '{}'`, 'audience.kind'],
    [`'t', '{"kind":"users"}', payload => '{}'`, 'audience.user_ids'],
    [`'t', '{"kind":"users","user_ids":[]}', payload => '{}'`, 'audience.user_ids'],
    [`'t', '{"kind":"users","user_ids":["ada",7]}', payload => '{}'`, 'audience.user_ids'],
    [`'t', '{"kind":"users","user_ids":["ghost"]}', payload => '{}'`, 'ghost'],
    [`'t', '{"kind":"topic"}', payload => '{}'`, 'audience.topic'],
    [
      `'t', '{"kind":"addresses","channel":"email","addresses":["a@b.c\\nBcc: d@e.f"]}', payload => '{}'`,
      'audience.addresses',
    ],
    [`'t', '{"kind":"addresses","channel":"in_app","addresses":["a"]}', payload => '{}'`, 'audience.channel'],
    [`'t', '{"kind":"admin_email","user_ids":["ada"]}', payload => '{}'`, 'audience.user_ids'],
    [`'t', '{"kind":"tenant","topic":"x"}', payload => '{}'`, 'audience.topic'],
  ])('raises for bad input and names it: %s', async (args, named) => {
    const before = await carillon.rowCounts()
    await expect(call(args)).rejects.toMatchObject({ code: '22023', message: expect.stringContaining(named) })
    expect(await carillon.rowCounts()).toEqual(before)
  })
})

describe('the application’s own database role', () => {
  const role = `shop_${randomBytes(4).toString('hex')}`
  let shop: pg.Client

  beforeAll(async () => {
    await carillon.pool.query(`create role ${role} login password 'secret'`)
    await carillon.pool.query(`grant usage on schema carillon to ${role}`)
    shop = new pg.Client(Object.assign(new URL(carillon.url), { username: role, password: 'secret' }).href)
    await shop.connect()
  })
  afterAll(async () => {
    await shop.end()
    await carillon.pool.query(`drop owned by ${role}`)
    await carillon.pool.query(`drop role ${role}`)
  })

  it('cannot call notify() until it is granted, and even then cannot read any table', {
    tags: 'S002-30',
  }, async () => {
    const byArguments = notify(`'by_role', ${TO_ADA}, payload => '{}'`)
    const byDocument = `select carillon.notify('${JSON.stringify(ORDER)}') as id`
    for (const call of [byArguments, byDocument])
      await expect(shop.query(call)).rejects.toThrow('permission denied for function notify')
    await carillon.pool.query(`grant execute on function carillon.notify(jsonb) to ${role}`)
    const { id } = (await shop.query(byDocument)).rows[0]
    expect((await record(id)).body.producer).toBe(`sql:${role}`)

    for (const table of Object.keys(await carillon.rowCounts())) {
      await expect(shop.query(`select from carillon.${table}`)).rejects.toThrow('permission denied for table')
    }
    await expect(shop.query(`select * from carillon.accept_intents('[]')`)).rejects.toThrow(
      'permission denied',
    )
    await expect(
      shop.query(`select carillon.notify_with_payload('${JSON.stringify(ORDER)}', null)`),
    ).rejects.toThrow('permission denied')
    await expect(shop.query(`select carillon.create_routes(null, null, null)`)).rejects.toThrow(
      'permission denied',
    )
  })
})
