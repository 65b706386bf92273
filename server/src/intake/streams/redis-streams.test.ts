import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { canStartRedis, useRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import {
  CLOUD_EVENT,
  DEEP_WITH_ATTACHMENTS,
  entriesOf,
  FLAT,
  INTENT,
  readStreams,
  stopReading,
} from './reading.fixture.ts'
import { gateStatements } from './statement-gate.fixture.ts'

describe.skipIf(!canStartRedis)('intents from a Redis stream', () => {
  const carillon = useCarillon()
  const server = useRedis({ isDurable: true })
  let redis: Redis
  beforeAll(async () => {
    redis = new Redis(server.url)
    redis.on('error', () => {})
    await carillon.putUser('ada', { email: 'ada@example.com' })
  })
  afterAll(() => redis.disconnect())
  afterEach(async () => {
    await stopReading()
    await redis.flushall()
    await carillon.pool.query('delete from records')
    await carillon.pool.query('delete from malformed_intents')
    await carillon.pool.query('delete from streams')
  })
  const orders = () => ({ name: 'orders', url: server.url, key: 'intents' })
  const add = async (fields: Record<string, string | Buffer>): Promise<string> =>
    (await redis.xadd('intents', '*', ...Object.entries(fields).flat()))!
  const settled = (count: number) =>
    waitFor(
      async () => {
        const kept = await entriesOf(carillon)
        return Object.keys(kept).length === count && (await pending()) === 0 && kept
      },
      { what: `${count} entries`, deadlineMs: 6000 },
    )
  const pending = async () => ((await redis.xpending('intents', 'carillon')) as [number])[0]

  it('come as flat fields; each is one record with the id of its entry', {
    tags: ['S000-1', 'S000-2', 'S000-32'],
  }, async () => {
    const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
    const id = await add({ ...FLAT, request_id: 'r-1', trace_id })
    await readStreams(carillon, [orders()])
    expect(await settled(1)).toEqual({ [id]: 'record' })
    const { rows } = await carillon.pool.query('select * from records')
    expect(rows).toMatchObject([
      {
        notification_type: 'order_paid',
        producer: 'shop',
        audience_kind: 'users',
        recipients: ['ada'],
        idempotency_key: 'order-1',
        payload_json: FLAT.payload_json,
        request_id: 'r-1',
        traceparent: `00-${trace_id}-${trace_id.slice(16)}-01`,
        source: 'redis/orders/intents',
        source_entry_id: id,
        occurred_at: new Date(1_767_225_600_000),
      },
    ])
  })

  it('come as the JSON of an intent in one field, with the name of the stream as producer', async () => {
    await add({ intent: JSON.stringify(INTENT) })
    await readStreams(carillon, [orders()])
    await settled(1)
    const { rows } = await carillon.pool.query('select producer, payload_json from records')
    expect(rows).toEqual([{ producer: 'orders', payload_json: JSON.stringify(INTENT.payload) }])
  })

  it('come as CloudEvents; one that is none is malformed, in its own words', async () => {
    const good = await add({ event: JSON.stringify(CLOUD_EVENT) })
    const bad = await add({ event: JSON.stringify({ ...CLOUD_EVENT, source: undefined }) })
    await readStreams(carillon, [orders()])
    expect(await settled(2)).toEqual({ [good]: 'record', [bad]: 'missing_field' })
    const { rows } = await carillon.pool.query(
      'select r.idempotency_key, m.notification_type, m.failure_message from records r, malformed_intents m',
    )
    expect(rows).toEqual([
      { idempotency_key: '/shop e-1', notification_type: 'order_paid', failure_message: 'source: Required.' },
    ])
  })

  it('are kept as malformed, one row each, and the stream goes on', {
    tags: ['S000-28', 'S000-29'],
  }, async () => {
    const cases: [string, Record<string, string | Buffer>][] = [
      ['missing_field', { ...FLAT, idempotency_key: '' }],
      ['missing_field', { ...FLAT, producer: '' }],
      ['invalid_recipients', { ...FLAT, recipient_user_ids_json: '[]' }],
      ['invalid_recipients', { ...FLAT, recipient_user_ids_json: '[5]' }],
      ['invalid_recipients', { ...FLAT, audience_kind: 'admin_email' }],
      ['invalid_audience', { ...FLAT, audience_kind: 'group' }],
      ['invalid_timestamp', { ...FLAT, occurred_at_ms: 'yesterday' }],
      ['invalid_payload', { ...FLAT, payload_json: '{' }],
      ['invalid_payload', { ...FLAT, payload_json: '[]' }],
      ['payload_too_large', { ...FLAT, payload_json: JSON.stringify({ a: 'x'.repeat(70_000) }) }],
      ['recipient_not_found', { ...FLAT, recipient_user_ids_json: '["nobody"]', idempotency_key: 'k' }],
      ['invalid_request', { ...FLAT, recipients: 'ada' }],
      ['invalid_request', { a: 'no intent' }],
      ['invalid_request', { ...FLAT, 'odd\0name': 'x' }],
      ['invalid_request', { ...FLAT, producer: Buffer.from([0xff, 0xfe]) }],
      ['unstorable_text', { ...FLAT, payload_json: '{"a": "\\u0000"}', idempotency_key: 'nul' }],
      ['unstorable_text', { intent: `{"request_id": "\\ud800", ${JSON.stringify(INTENT).slice(1)}` }],
      ['missing_field', { intent: DEEP_WITH_ATTACHMENTS }],
    ]
    const expected: Record<string, string> = {}
    for (const [code, fields] of cases) expected[await add(fields)] = code
    expected[await add(FLAT)] = 'record'
    expected[await add({ ...FLAT, payload_json: '{"order": 2}' })] = 'idempotency_conflict'
    await readStreams(carillon, [orders()])
    expect(await settled(cases.length + 2)).toEqual(expected)
    const { body } = await carillon.request('GET', '/v1/malformed-intents?failure_code=invalid_audience')
    expect(body.data).toMatchObject([
      {
        source: 'redis/orders/intents',
        notification_type: 'order_paid',
        producer: 'shop',
        idempotency_key: 'order-1',
        failure_message: 'audience_kind: Expected "user" or "admin_email".',
        raw_fields: { ...FLAT, audience_kind: 'group' },
      },
    ])
  })

  it('of a consumer that died are taken over, and are duplicates if they had been accepted', {
    tags: 'S000-3',
  }, async () => {
    const ids = [await add(FLAT), await add({ ...FLAT, idempotency_key: 'order-2' })]
    const bad = await add({ ...FLAT, idempotency_key: 'late', recipient_user_ids_json: '["late"]' })
    const first = await readStreams(carillon, [orders()])
    await settled(3)
    await first.stop()
    // As if it had died after the commit and before it acknowledged anything.
    await redis.xgroup('DESTROY', 'intents', 'carillon')
    await redis.xgroup('CREATE', 'intents', 'carillon', '0')
    await redis.xreadgroup('GROUP', 'carillon', 'dead', 'STREAMS', 'intents', '>')
    expect(await pending()).toBe(3)
    // The user that one lacked exists by now; it stays what it was.
    await carillon.putUser('late')
    const second = await readStreams(carillon, [orders()], { leaseMs: 500 })
    await waitFor(async () => (await pending()) === 0, { what: 'the entries of the dead consumer' })
    expect(second.counts).toEqual({ duplicate: 2, malformed: 1 })
    expect(await entriesOf(carillon)).toEqual({
      [ids[0]!]: 'record',
      [ids[1]!]: 'record',
      [bad]: 'recipient_not_found',
    })
  })

  it('are one record if their reader found them malformed, stood still, and another one accepted them', {
    tags: 'S000-3',
  }, async () => {
    const id = await add({ ...FLAT, recipient_user_ids_json: '["absent"]' })
    const lock = await carillon.pool.connect()
    try {
      await lock.query('begin')
      await lock.query('lock table malformed_intents in share row exclusive mode')
      const first = await readStreams(carillon, [orders()])
      const isWriting = async () => {
        const { rows } = await carillon.pool.query(
          `select from pg_locks where relation = 'malformed_intents'::regclass and not granted`,
        )
        return rows.length > 0
      }
      await waitFor(isWriting, { what: 'the first to write what it found' })
      await carillon.putUser('absent')
      const second = await readStreams(carillon, [orders()], { leaseMs: 300 })
      await waitFor(async () => second.counts.accepted === 1, { what: 'the second to accept it' })
      await lock.query('rollback')
      await waitFor(async () => first.counts.malformed === 1, { what: 'the first to go on' })
    } finally {
      await lock.query('rollback')
      lock.release()
    }
    expect(await entriesOf(carillon)).toEqual({ [id]: 'record' })
  })

  it('wait in the stream while the database refuses, and nothing is acknowledged', {
    tags: 'S000-3',
  }, async () => {
    await carillon.pool.query('alter table records rename to records_away')
    await add(FLAT)
    const reading = await readStreams(carillon, [orders()])
    try {
      await waitFor(async () => reading.errors.length > 1, { what: 'two tries' })
      expect(await pending()).toBe(1)
    } finally {
      await carillon.pool.query('alter table records_away rename to records')
    }
    expect(Object.values(await settled(1))).toEqual(['record'])
    expect(reading.counts).toEqual({ accepted: 1 })
  })

  it('of a suspended tenant wait, and are accepted when it is resumed', async () => {
    await carillon.pool.query('update tenants set suspended_at = now()')
    await add(FLAT)
    const reading = await readStreams(carillon, [orders()])
    await waitFor(async () => reading.errors.length > 0, { what: 'the refusal' })
    expect(await entriesOf(carillon)).toEqual({})
    await carillon.pool.query('update tenants set suspended_at = null')
    expect(Object.values(await settled(1))).toEqual(['record'])
  })

  it('are read again from the group’s beginning when Redis lost it, and are duplicates', async () => {
    const id = await add(FLAT)
    const reading = await readStreams(carillon, [orders()])
    await settled(1)
    await redis.xgroup('DESTROY', 'intents', 'carillon')
    await waitFor(async () => reading.counts.duplicate === 1, { what: 'the group to be made again' })
    expect(await entriesOf(carillon)).toEqual({ [id]: 'record' })
  })

  it('are deleted from the stream when they are acknowledged, if asked for', async () => {
    await add(FLAT)
    await readStreams(carillon, [{ ...orders(), delete_acknowledged: true }])
    await settled(1)
    await waitFor(async () => (await redis.xlen('intents')) === 0, { what: 'the entry to be deleted' })
  })

  it('take turns: one that is added behind a flood in another stream waits for two statements of the flood', async () => {
    const named = (idempotency_key: string) => Object.entries({ ...FLAT, idempotency_key }).flat()
    const flood = redis.pipeline()
    for (let i = 0; i < 2000; i++) flood.xadd('flood', '*', ...named(`flood-${i}`))
    await flood.exec()
    const gate = gateStatements(carillon.pool)
    const streams = ['flood', 'quiet'].map(key => ({ name: key, url: server.url, key }))
    // One statement at a time for both of them.
    const reading = await readStreams(carillon, streams, { pool: gate.pool, statements: 1 })
    await waitFor(async () => gate.accepting.length === 1, { what: 'the flood to begin' })
    await redis.xadd('quiet', '*', ...named('quiet'))
    await waitFor(async () => gate.looked.includes('redis/quiet/quiet'), {
      what: 'the other entry to be read',
    })
    gate.open()
    await waitFor(async () => reading.counts.accepted === 2001, { what: 'all entries', deadlineMs: 30_000 })
    expect(gate.accepting.length).toBeGreaterThan(5)
    expect(gate.accepting.indexOf('redis/quiet/quiet')).toBeLessThanOrEqual(2)
  })

  it('of two streams may have the same ids', async () => {
    for (const key of ['a', 'b'])
      await redis.xadd(key, '1-1', ...Object.entries({ ...FLAT, idempotency_key: key }).flat())
    const streams = ['a', 'b'].map(key => ({ name: key, url: server.url, key }))
    const reading = await readStreams(carillon, streams)
    await waitFor(async () => reading.counts.accepted === 2, { what: 'both' })
    const { rows } = await carillon.pool.query('select source, source_entry_id from records order by source')
    expect(rows).toEqual([
      { source: 'redis/a/a', source_entry_id: '1-1' },
      { source: 'redis/b/b', source_entry_id: '1-1' },
    ])
  })

  it('wait while the stream is paused, in every process, and go on when it is resumed', async () => {
    const readings = [await readStreams(carillon, [orders()]), await readStreams(carillon, [orders()])]
    const shown = () => carillon.request('GET', '/v1/streams/orders')
    const waiting = async () => Number(/blocked_clients:(\d+)/.exec(await redis.info('clients'))?.[1])
    await waitFor(async () => (await waiting()) === 2, { what: 'both to read' })
    await waitFor(async () => (await shown()).status === 200, { what: 'the first report' })
    const paused = await carillon.request('PATCH', '/v1/streams/orders', { body: { is_paused: true } })
    expect(paused.body).toMatchObject({ status: 'paused', paused_at: expect.any(String) })
    // Between two reads there is a moment without one, but not twenty times in a row.
    let quiet = 0
    await waitFor(
      async () => {
        quiet = (await waiting()) === 0 ? quiet + 1 : 0
        return quiet === 20
      },
      { what: 'nobody to read' },
    )
    await add(FLAT)
    await waitFor(async () => (await shown()).body.waiting === 1, { what: 'the lag to be reported' })
    expect((await shown()).body).toMatchObject({ status: 'paused', oldest_at: expect.any(String) })
    expect(await entriesOf(carillon)).toEqual({})
    await carillon.request('PATCH', '/v1/streams/orders', { body: { is_paused: false } })
    await settled(1)
    expect(readings.flatMap(({ errors }) => errors)).toEqual([])
  })
})
