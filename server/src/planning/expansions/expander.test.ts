import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import { addPeople } from '../../../test/people.ts'
import { createPool, type Pool } from '../../platform/database/pool.ts'
import { createWake } from '../../platform/queue/wake.ts'
import { createExpander, expandChunk } from './expander.ts'

const carillon = useCarillon()
const people = Array.from({ length: 150 }, (_, n) => `user-${String(n).padStart(3, '0')}`)
const expand = (pool: Pool = carillon.pool, chunkSize = 40) =>
  expandChunk({ pool, chunkSize, onExpanded: () => {} })
const expandAll = async (pool?: Pool) => {
  while ((await expand(pool)) !== undefined);
}
const allRoutes = (id: string) => carillon.readAll(`/v1/records/${id}/routes`)
const recipients = async (id: string) => (await allRoutes(id)).map(route => route.user_id)
const record = async (id: string, key = carillon.key) =>
  (await carillon.request('GET', `/v1/records/${id}`, { key })).body
const sendToAll = (more: object = {}) =>
  carillon.send({ audience: { kind: 'tenant' }, channels: ['push'], ...more })

beforeAll(async () => {
  await addPeople(carillon, people)
})

it('a tenant audience reaches every user once, chunk by chunk', { tags: 'S000-10' }, async () => {
  const elsewhere = await carillon.createTenant('elsewhere')
  await carillon.request('PUT', '/v1/users/stranger', { body: {}, key: elsewhere.key })
  const id = await sendToAll()
  expect(await record(id)).toMatchObject({ expanded_at: null, routes: {} })
  const counts = []
  for (;;) {
    const before = (await record(id)).routes.pending ?? 0
    if (!(await expand())) break
    counts.push(((await record(id)).routes.pending ?? 0) - before)
  }
  expect(counts).toEqual([40, 40, 40, 30])
  expect(await recipients(id)).toEqual(people)
  expect((await record(id)).expanded_at).not.toBeNull()
})

it('a topic audience reaches people who watch the topic at level all', { tags: 'S000-10' }, async () => {
  const watch = (user_id: string, level: string) =>
    carillon.request('PUT', '/v1/topics/news/watch', { body: { user_id, level } })
  for (const user of ['user-003', 'user-001', 'user-002']) await watch(user, 'all')
  await watch('user-004', 'participating')
  await watch('user-005', 'ignore')
  const audience = { kind: 'topic', topic: 'news' }
  const id = await carillon.send({ audience, channels: ['push'] })
  const deserted = await carillon.send({ audience: { kind: 'topic', topic: 'silence' } })
  await expandAll()
  expect(await recipients(id)).toEqual(['user-001', 'user-002', 'user-003'])
  expect(await record(deserted)).toMatchObject({ routes: {}, expanded_at: expect.any(String) })
})

it('more than a hundred explicit users are expanded later, on every channel', {
  tags: 'S000-12',
}, async () => {
  const audience = { kind: 'users', user_ids: [...people].reverse() }
  const id = await carillon.send({ audience, channels: ['push', 'email'] })
  expect(await record(id)).toMatchObject({ expanded_at: null, recipients: people })
  await expandAll()
  const routes = await allRoutes(id)
  expect(new Set(routes.map(route => route.route_id)).size).toBe(300)
  expect(routes.find(route => route.route_id === 'email:user:user-077')).toMatchObject({
    resolved_address: 'user-077@example.com',
    status: 'pending',
  })
})

it('more than a hundred explicit addresses are expanded as well', { tags: 'S000-12' }, async () => {
  const addresses = people.map(name => `${name}@elsewhere.example`)
  const id = await carillon.send({ audience: { kind: 'addresses', channel: 'email', addresses } })
  await expandAll()
  expect((await allRoutes(id)).map(route => route.resolved_address)).toEqual(addresses)
})

it('the expander works by itself and keeps send_at', async () => {
  const id = await sendToAll({ send_at: '2031-01-01T00:00:00Z' })
  const wake = createWake()
  const expander = createExpander({
    pool: carillon.pool,
    wake,
    pollMs: 20,
    onExpanded: () => {},
    onError: () => {},
  })
  await expander.start()
  await expect.poll(async () => (await record(id)).expanded_at).not.toBeNull()
  await expander.stop()
  await expander.stop()
  const times = new Set((await allRoutes(id)).map(route => route.next_attempt_at))
  expect([...times]).toEqual(['2031-01-01T00:00:00.000Z'])
})

describe('waiting audiences', () => {
  const isStarted = async (id: string, key?: string) => Object.keys((await record(id, key)).routes).length > 0

  it('waiting audiences of different tenants take turns', async () => {
    const tenant = await carillon.createTenant('patient')
    await carillon.request('PUT', '/v1/users/pat', { body: {}, key: tenant.key })
    await sendToAll()
    const body = { notification_type: 't', audience: { kind: 'tenant' }, channels: ['push'], payload: {} }
    const theirs = await carillon.request('POST', '/v1/intents', { body, key: tenant.key })
    let last: string | undefined
    for (let i = 0; i < 2; i++)
      last = await expandChunk({ pool: carillon.pool, chunkSize: 10, onExpanded: () => {} }, last)
    expect(await isStarted(theirs.body.notification_id, tenant.key)).toBe(true)
    await expandAll()
  })

  it('of one tenant, critical audiences begin first, then those that have not begun', async () => {
    await carillon.putType('evacuate', { channels: ['push'], critical: true })
    const large = await sendToAll()
    await expand()
    const next = await sendToAll()
    const urgent = await sendToAll({ notification_type: 'evacuate' })
    await expand()
    expect([await isStarted(next), await isStarted(urgent)]).toEqual([false, true])
    for (let i = 0; i < 4; i++) await expand()
    expect([await isStarted(large), await isStarted(next)]).toEqual([true, true])
    await expandAll()
  })
})

it('an expander that is killed in the middle of a chunk loses and duplicates nothing', {
  tags: 'S000-13',
}, async () => {
  const id = await sendToAll()
  await expand()
  const doomed = createPool(carillon.url, { max: 1 })
  const release = await blockRoute(id, 'user-060')
  const dying = expand(doomed).then(
    () => 'finished',
    () => 'died',
  )
  const [pid] = await untilBlocked(carillon.pool, 1, 'the expander to wait in its chunk')
  await carillon.pool.query('select pg_terminate_backend($1)', [pid])
  expect(await dying).toBe('died')
  await release()
  await doomed.end()
  expect(await recipients(id)).toEqual(people.slice(0, 40))

  await expandAll()
  expect(await recipients(id)).toEqual(people)
})

it('an expander that repeats a chunk adds nothing', { tags: 'S000-13' }, async () => {
  const id = await sendToAll()
  await expand()
  await carillon.pool.query("update expansions set cursor = ''")
  await expandAll()
  expect(await recipients(id)).toEqual(people)
})

it('two expanders share the work: each takes an audience that the other has not locked', async () => {
  const [first, second] = [await sendToAll(), await sendToAll()]
  const release = await blockRoute(first, 'user-010')
  const pools = [createPool(carillon.url, { max: 1 }), createPool(carillon.url, { max: 1 })]
  const held = expand(pools[0])
  await untilBlocked(carillon.pool, 1, 'the first expander to hold the first audience')
  await expandAll(pools[1])
  expect(await recipients(second)).toEqual(people)
  expect(await recipients(first)).toEqual([])
  await release()
  await held
  await Promise.all(pools.map(pool => expandAll(pool)))
  expect(await recipients(first)).toEqual(people)
  for (const pool of pools) await pool.end()
})

it('a cancel waits for the current chunk and then stops the whole audience', { tags: 'S002-5' }, async () => {
  const id = await sendToAll()
  const release = await blockRoute(id, 'user-020')
  const chunk = expand(carillon.pool, 1000)
  await untilBlocked(carillon.pool, 1, 'the expander to wait in its chunk')
  const cancelling = carillon.request('POST', `/v1/records/${id}/cancel`)
  await untilBlocked(carillon.pool, 2, 'the cancel to wait for the chunk')
  await release()
  expect(await chunk).toBe(carillon.tenantId)
  expect((await cancelling).body).toMatchObject({ cancelled: 150, in_flight: 0 })
  expect(await expand()).toBeUndefined()
  expect((await record(id)).routes).toEqual({ cancelled: 150 })
})

/** Inserts one route without committing, so that an expander that creates it waits in the middle of its chunk. */
async function blockRoute(id: string, userId: string): Promise<() => Promise<void>> {
  const { client, rollback } = await openTransaction(carillon.pool)
  await client.query(
    `insert into routes (tenant_id, notification_id, route_id, channel, recipient_ref, status, max_attempts,
       next_attempt_at, created_at, updated_at)
     values ($1, $2, $3, 'push', '', 'pending', 1, now(), now(), now())`,
    [carillon.tenantId, id, `push:user:${userId}`],
  )
  return rollback
}
