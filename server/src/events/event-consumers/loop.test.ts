import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aConsumer, emit, emptyLog, startConsumer } from '../../../test/events.ts'
import { waitFor } from '../../../test/wait-for.ts'
import { createPool } from '../../platform/database/pool.ts'

const carillon = useCarillon()
const handled = async () =>
  (await carillon.pool.query('select kind from handled order by n')).rows.map(row => row.kind)
const noting = (onEvent: (kind: string) => unknown = () => {}) =>
  aConsumer(async (event, tx) => {
    await tx.query('insert into handled (kind) values ($1)', [event.kind])
    await onEvent(event.kind)
  })

beforeAll(() => carillon.pool.query('create table handled (n serial, kind text)'))
afterAll(() => carillon.pool.query('drop table handled'))
beforeEach(async () => {
  await carillon.pool.query('delete from handled')
  await emptyLog(carillon.pool)
})

it('two workers handle every event once and in order while many write', {
  tags: 'S001-20',
}, async () => {
  const pools = [1, 2].map(() => createPool(carillon.url, { max: 5 }))
  const workers = pools.map(pool => startConsumer(pool, noting()))
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; n < 40; n++) {
      const client = await carillon.pool.connect()
      await client.query('begin')
      await emit(client, { kind: `w${writer}_${n}` })
      await client.query(n % 5 === 4 ? 'rollback' : 'commit')
      client.release()
    }
  })
  await Promise.all(writers)
  await waitFor(async () => (await handled()).length >= 4 * 32, { what: 'all events to be handled' })
  for (const worker of workers) await worker.stop()
  await Promise.all(pools.map(pool => pool.end()))
  const kinds = await handled()
  expect(kinds).toHaveLength(4 * 32)
  const log = (await carillon.readAll('/v1/events')).sort((a, b) => a.id - b.id)
  expect(kinds).toEqual(log.map(event => event.kind))
  expect(workers.flatMap(worker => worker.errors)).toEqual([])
})

it('the consumer loop reads other tenants’ logs while an event of one hangs or fails', {
  tags: 'S001-18',
}, async () => {
  for (const name of ['hanging', 'failing', 'asking', 'quiet']) await carillon.createTenant(name)
  let release = () => {}
  const hang = new Promise<void>(resolve => {
    release = resolve
  })
  for (const tenant of ['hanging', 'failing', 'asking'])
    for (let n = 0; n < 3; n++) await emit(carillon.pool, { tenant, kind: tenant })
  const consumer = {
    ...noting(async kind => {
      if (kind === 'hanging') await hang
      if (kind === 'failing') throw new Error('always')
    }),
    prepare: async (event: { kind: string }) => event.kind === 'asking' && hang,
  }
  const worker = startConsumer(carillon.pool, consumer)
  await emit(carillon.pool, { tenant: 'quiet', kind: 'quiet' })
  await waitFor(async () => (await handled()).includes('quiet'), { what: 'the quiet tenant’s event' })
  expect(await handled()).toEqual(['quiet'])
  release()
  await waitFor(async () => (await handled()).length === 7, { what: 'those that hung' })
  await worker.stop()
})

it('the consumer loop lets the logs of suspended tenants wait', async () => {
  await emit(carillon.pool, { kind: 'mine' })
  const { id } = await carillon.createTenant('paused')
  await emit(carillon.pool, { tenant: 'paused', kind: 'theirs' })
  await carillon.request('POST', `/v1/tenants/${id}/suspend`, { body: { reason: 'The bill is open.' } })
  startConsumer(carillon.pool, noting())
  await waitFor(async () => (await handled()).length === 1, { what: 'the event of the other tenant' })
  expect(await handled()).toEqual(['mine'])
  await carillon.request('POST', `/v1/tenants/${id}/resume`)
  await waitFor(async () => (await handled()).length === 2, { what: 'the event that waited' })
})
