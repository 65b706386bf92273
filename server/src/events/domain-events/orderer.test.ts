import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { emit, emptyLog, orderAll } from '../../../test/events.ts'
import { openTransaction } from '../../../test/open-transaction.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createOrderer } from './orderer.ts'

const carillon = useCarillon()
/** Places and kinds of the tenant's events that have a place. */
const log = async (key?: string): Promise<[number, string][]> =>
  (await carillon.readAll('/v1/events', 100, key))
    .filter(({ id }) => id !== null)
    .sort((a, b) => a.id - b.id)
    .map(({ id, kind }) => [id, kind])
const heads = async (): Promise<[string, number][]> =>
  (await carillon.request('GET', '/v1/event-consumers')).body.data
    .map(({ consumer, head_id }: { consumer: string; head_id: number }) => [consumer, head_id])
    .sort()

beforeEach(() => emptyLog(carillon.pool))

it('an event of a transaction that is rolled back does not exist', { tags: 'S001-15' }, async () => {
  const transaction = await openTransaction(carillon.pool)
  await emit(transaction.client)
  await transaction.rollback()
  await orderAll(carillon.pool)
  expect(await carillon.readAll('/v1/events')).toEqual([])
  expect(await heads()).toEqual([
    ['notify_fanout', 0],
    ['triggers', 0],
    ['webhooks', 0],
  ])
})

it('an event that commits late gets a later place, and no other event waits for it', {
  tags: 'S001-20',
}, async () => {
  const late = await openTransaction(carillon.pool)
  await emit(late.client, { kind: 'written_first' })
  await emit(carillon.pool, { kind: 'written_second' })
  await orderAll(carillon.pool)
  expect(await log()).toEqual([[1, 'written_second']])
  await late.commit()
  await orderAll(carillon.pool)
  expect(await log()).toEqual([
    [1, 'written_second'],
    [2, 'written_first'],
  ])
  expect(new Set((await heads()).map(([, head]) => head))).toEqual(new Set([2]))
})

it('events get their places in the order in which they were written, whatever the clocks say', {
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

it('places are not given again, even if the whole log was deleted', async () => {
  await emit(carillon.pool)
  await orderAll(carillon.pool)
  await carillon.pool.query('delete from domain_events')
  await emit(carillon.pool, { kind: 'next' })
  await orderAll(carillon.pool)
  expect(await log()).toEqual([[2, 'next']])
})

it('an event creates its topic and thread when it gets its place, and later ones complete them', async () => {
  await carillon.putUser('ada')
  const thread = { kind: 'issue', id: '7', author_id: 'ada' }
  await emit(carillon.pool, { topic: 'shop', thread: { ...thread, author_id: 'nobody' } })
  await emit(carillon.pool, { topic: 'shop', thread: { ...thread, title: 'Cart is slow' } })
  await emit(carillon.pool, { topic: 'shop', thread: { kind: 'issue', id: '7' } })
  await orderAll(carillon.pool)
  await emit(carillon.pool, { topic: 'other', thread: { kind: 'issue', id: '7', url: 'https://x.io/7' } })
  await orderAll(carillon.pool)
  expect(await carillon.readAll('/v1/threads')).toMatchObject([
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

it('two transactions with events about each other’s new threads both commit', async () => {
  const [one, two] = [await openTransaction(carillon.pool), await openTransaction(carillon.pool)]
  const about = (id: string) => ({ topic: `new ${id}`, thread: { kind: 'issue', id: `new ${id}` } })
  await emit(one.client, about('a'))
  await emit(two.client, about('b'))
  await emit(one.client, about('b'))
  await emit(two.client, about('a'))
  for (const { commit } of [one, two]) await commit()
  await orderAll(carillon.pool)
  expect(await log()).toHaveLength(4)
})

it('two orderers give each place once while many write', { tags: 'S001-20' }, async () => {
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

it('an orderer goes on with other tenants when it cannot order the events of one', async () => {
  const other = await carillon.createTenant('next door')
  await emit(carillon.pool, { kind: 'held' })
  await emit(carillon.pool, { kind: 'free', tenant: 'next door' })
  const holder = await openTransaction(carillon.pool)
  await holder.client.query(
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
  await waitFor(async () => (await log(other.key)).length === 1, { what: 'the other tenant’s event' })
  expect(await log()).toEqual([])
  await holder.rollback()
  await waitFor(async () => (await log()).length === 1, { what: 'the event that was held' })
  await orderer.stop()
})
