import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { emit, orderAll } from '../../../test/events.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createOrderer } from './orderer.ts'

const carillon = useCarillon()
const log = async (tenantId = carillon.tenantId) =>
  (
    await carillon.pool.query(
      'select id::integer, kind from domain_events where tenant_id = $1 and id is not null order by id',
      [tenantId],
    )
  ).rows.map(row => [row.id, row.kind])
const heads = async () =>
  (
    await carillon.pool.query(
      'select consumer, head_id::integer as head from domain_events_processed where tenant_id = $1 order by 1',
      [carillon.tenantId],
    )
  ).rows.map(row => [row.consumer, row.head])

beforeEach(async () => {
  await carillon.pool.query('delete from domain_events')
  await carillon.pool.query('update domain_events_processed set last_event_id = 0, head_id = 0')
})

describe('an event', () => {
  it('of a transaction that is rolled back never was', { tags: 'S001-15' }, async () => {
    const client = await carillon.pool.connect()
    await client.query('begin')
    await emit(client)
    await client.query('rollback')
    client.release()
    await orderAll(carillon.pool)
    expect((await carillon.pool.query('select from domain_events')).rowCount).toBe(0)
    expect(await heads()).toEqual([
      ['notify_fanout', 0],
      ['triggers', 0],
      ['webhooks', 0],
    ])
  })

  it('that commits late gets a later place, and nobody waits for it', { tags: 'S001-20' }, async () => {
    const [early, late] = [await carillon.pool.connect(), await carillon.pool.connect()]
    await late.query('begin')
    await emit(late, { kind: 'written_first' })
    await early.query('begin')
    await emit(early, { kind: 'written_second' })
    await early.query('commit')
    await orderAll(carillon.pool)
    expect(await log()).toEqual([[1, 'written_second']])
    await late.query('commit')
    await orderAll(carillon.pool)
    expect(await log()).toEqual([
      [1, 'written_second'],
      [2, 'written_first'],
    ])
    expect(new Set((await heads()).map(([, head]) => head))).toEqual(new Set([2]))
    for (const client of [early, late]) client.release()
  })

  it('has its place after those that were written before it, whatever the clocks say', {
    tags: 'S001-15',
  }, async () => {
    const kinds = ['a', 'b', 'c']
    for (const kind of kinds) await emit(carillon.pool, { kind })
    // As if the clock had gone back in between.
    await carillon.pool.query(
      "update domain_events set event_id = '00000000-0000-7000-8000-000000000000' where kind = 'c'",
    )
    await orderAll(carillon.pool)
    expect((await log()).map(([, kind]) => kind)).toEqual(kinds)
  })

  it('keeps its place: numbers are not given again, even if the whole log was deleted', async () => {
    await emit(carillon.pool)
    await orderAll(carillon.pool)
    await carillon.pool.query('delete from domain_events')
    await emit(carillon.pool, { kind: 'next' })
    await orderAll(carillon.pool)
    expect(await log()).toEqual([[2, 'next']])
  })

  it('creates its topic and its thread when it gets its place, and completes them later', async () => {
    await carillon.putUser('ada')
    const thread = { kind: 'issue', id: '7', author_id: 'ada' }
    await emit(carillon.pool, { topic: 'shop', thread: { ...thread, author_id: 'nobody' } })
    await emit(carillon.pool, { topic: 'shop', thread: { ...thread, title: 'Cart is slow' } })
    await emit(carillon.pool, { topic: 'shop', thread: { kind: 'issue', id: '7' } })
    await orderAll(carillon.pool)
    await emit(carillon.pool, { topic: 'other', thread: { kind: 'issue', id: '7', url: 'https://x.io/7' } })
    await orderAll(carillon.pool)
    const { rows } = await carillon.pool.query('select kind, id, topic, title, url, author_id from threads')
    expect(rows).toEqual([
      {
        kind: 'issue',
        id: '7',
        topic: 'shop',
        title: 'Cart is slow',
        url: 'https://x.io/7',
        author_id: 'ada',
      },
    ])
  })

  it('about a new thread locks nothing that another transaction needs: two that name each other’s both commit', async () => {
    const [one, two] = [await carillon.pool.connect(), await carillon.pool.connect()]
    const about = (id: string) => ({ topic: `new ${id}`, thread: { kind: 'issue', id: `new ${id}` } })
    for (const client of [one, two]) await client.query('begin')
    await emit(one, about('a'))
    await emit(two, about('b'))
    await emit(one, about('b'))
    await emit(two, about('a'))
    for (const client of [one, two]) {
      await client.query('commit')
      client.release()
    }
    await orderAll(carillon.pool)
    expect(await log()).toHaveLength(4)
  })
})

describe('the orderer', () => {
  it('gives each place once, though two are at work while many write', { tags: 'S001-20' }, async () => {
    const pools = [1, 2].map(() => createPool(carillon.url, { max: 3 }))
    let calls = 0
    const orderers = pools.map(pool =>
      createOrderer({ pool, wake: createWake(), pollMs: 1, onOrdered: () => calls++, onError: () => {} }),
    )
    for (const orderer of orderers) await orderer.start()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; n < 50; n++) await emit(carillon.pool, { kind: `w${writer}_${n}` })
    })
    await Promise.all(writers)
    await waitFor(async () => (await log()).length === 200, { what: 'every event to have its place' })
    for (const orderer of orderers) await orderer.stop()
    await Promise.all(pools.map(pool => pool.end()))
    const places = await log()
    expect(places.map(([id]) => id)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    for (let writer = 0; writer < 4; writer++)
      expect(places.map(([, kind]) => kind).filter(kind => kind.startsWith(`w${writer}_`))).toEqual(
        Array.from({ length: 50 }, (_, n) => `w${writer}_${n}`),
      )
    expect(calls).toBeGreaterThan(0)
  })

  it('goes on with other tenants when the events of one cannot be put in order', async () => {
    const other = await carillon.createTenant('next door')
    await emit(carillon.pool, { kind: 'held' })
    await emit(carillon.pool, { kind: 'free', tenant: 'next door' })
    const holder = await carillon.pool.connect()
    await holder.query('begin')
    await holder.query(
      "select pg_advisory_xact_lock(hashtextextended(format('order events %s', $1::text), 0))",
      [carillon.tenantId],
    )
    const orderer = createOrderer({
      pool: carillon.pool,
      wake: createWake(),
      pollMs: 1,
      onOrdered: () => {},
      onError: () => {},
    })
    await orderer.start()
    await waitFor(async () => (await log(other.id)).length === 1, { what: 'the other tenant’s event' })
    expect(await log()).toEqual([])
    await holder.query('rollback')
    holder.release()
    await waitFor(async () => (await log()).length === 1, { what: 'the event that was held' })
    await orderer.stop()
  })
})
