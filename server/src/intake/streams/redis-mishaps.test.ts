/** What others do to a stream of Redis while it is read: each entry becomes one record or one malformed intent all the same. */
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { canStartRedis, useRedis } from '../../../test/redis.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { entriesOf, FLAT, readStreams, stopReading } from './reading.fixture.ts'
import { gateStatements } from './statement-gate.fixture.ts'

describe.skipIf(!canStartRedis)('a stream of Redis', () => {
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
    for (const table of ['records', 'malformed_intents', 'streams'])
      await carillon.pool.query(`delete from ${table}`)
  })
  const orders = () => ({ name: 'orders', url: server.url, key: 'intents' })
  let keys = 0
  const add = async (fields: object = {}): Promise<string> =>
    (await redis.xadd(
      'intents',
      '*',
      ...Object.entries({ ...FLAT, idempotency_key: `r-${++keys}`, ...fields }).flat(),
    ))!
  const kept = async () => Object.values(await entriesOf(carillon)).toSorted()
  const becomes = (...as: string[]) =>
    waitFor(async () => JSON.stringify(await kept()) === JSON.stringify(as.toSorted()), {
      what: `${as.length} entries`,
      deadlineMs: 8000,
    })

  it('that is deleted and made anew is read on', async () => {
    await readStreams(carillon, [orders()])
    await add()
    await becomes('record')
    await redis.del('intents')
    await add()
    await becomes('record', 'record')
  })

  it('whose key becomes something else is told, and read on when it is one again', async () => {
    const reading = await readStreams(carillon, [orders()])
    await add()
    await becomes('record')
    await redis.set('intents', 'text')
    await waitFor(async () => reading.errors.some(error => /WRONGTYPE/.test(error)), { what: 'the trouble' })
    await redis.del('intents')
    await add()
    await becomes('record', 'record')
  })

  it('whose entries are trimmed while they wait for the database loses none that was read', async () => {
    await carillon.pool.query('alter table records rename to records_away')
    for (let n = 0; n < 3; n++) await add()
    const reading = await readStreams(carillon, [orders()])
    try {
      await waitFor(async () => reading.errors.length > 1, { what: 'two tries' })
      await redis.xtrim('intents', 'MAXLEN', 0)
      await redis.xgroup('DESTROY', 'intents', 'carillon')
    } finally {
      await carillon.pool.query('alter table records_away rename to records')
    }
    await becomes('record', 'record', 'record')
    await waitFor(async () => reading.counts.accepted === 3, { what: 'all three to be counted' })
  })

  it('has no entry that one reader accepts after another one found it malformed', async () => {
    await add({ recipient_user_ids_json: '["nobody yet"]' })
    const gate = gateStatements(carillon.pool)
    const slow = await readStreams(carillon, [orders()], { pool: gate.pool })
    await waitFor(async () => gate.accepting.length === 1, { what: 'the first to be about to accept it' })
    await readStreams(carillon, [orders()], { leaseMs: 200 })
    await becomes('recipient_not_found')
    await carillon.putUser('nobody yet')
    gate.open()
    await waitFor(async () => slow.counts.accepted === 1, { what: 'the first to accept it' })
    await becomes('record')
  })

  it('with large entries is read a few at a time, and each of them counts', async () => {
    const large = 'é'.repeat(500_000)
    for (let n = 0; n < 60; n++) await add({ payload_json: n % 2 ? `{"text": "${large}"}` : large })
    const pending = async () => ((await redis.xpending('intents', 'carillon')) as [number])[0]
    await carillon.pool.query('alter table malformed_intents rename to malformed_away')
    try {
      const reading = await readStreams(carillon, [orders()])
      await waitFor(async () => reading.errors.length > 1, { what: 'two tries' })
      expect(await pending()).toBeLessThan(40)
    } finally {
      await carillon.pool.query('alter table malformed_away rename to malformed_intents')
    }
    await waitFor(async () => (await kept()).length === 60 && (await pending()) === 0, {
      what: 'all of them',
    })
    expect(new Set(await kept())).toEqual(new Set(['invalid_payload', 'payload_too_large']))
  })

  it('is read with a password of any characters, which its address has encoded', async () => {
    const password = 'a%@/?#:& b%25'
    await redis.config('SET', 'requirepass', password)
    try {
      const url = server.url.replace('//', `//:${encodeURIComponent(password)}@`)
      await readStreams(carillon, [{ ...orders(), url }])
      await add()
      await becomes('record')
    } finally {
      await redis.config('SET', 'requirepass', '')
    }
  })

  it('that fails over to an empty server is read on there', async () => {
    await readStreams(carillon, [orders()])
    await add()
    await becomes('record')
    await redis.flushall()
    await add()
    await becomes('record', 'record')
  })
})
