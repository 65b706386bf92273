import { afterEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { describeColumns } from '../../../test/columns.ts'
import { openTransaction, untilBlocked } from '../../../test/open-transaction.ts'
import { createPool } from '../../platform/database/pool.ts'
import { ageSystemEvents, deleteSystemEvents } from './stored-events.fixture.ts'
import { type RaisedEvent, raiseSystemEvent } from './system-events.ts'

const carillon = useCarillon()
afterEach(() => deleteSystemEvents(carillon.pool))

const raise = (
  event: Partial<RaisedEvent> = {},
  db: Parameters<typeof raiseSystemEvent>[0] = carillon.pool,
) =>
  raiseSystemEvent(db, {
    tenant_id: carillon.tenantId,
    event_type: 'quota_exceeded',
    severity: 'medium',
    description: 'The quota is used up.',
    ...event,
  })
const list = (query = '', key?: string) => carillon.readAll(`/v1/system-events?${query}`, 100, key)
const types = async (query = '', key?: string) => (await list(query, key)).map(event => event.event_type)
const resolve = (id: number, body: object = {}, key?: string) =>
  carillon.request('POST', `/v1/system-events/${id}/resolve`, { body, ...(key && { key }) })

it('a raised system event is open and has an increasing id', { tags: 'S004-10' }, async () => {
  const first = await raise({ details: { limit: 100 } })
  const second = await raise({ event_type: 'sending_paused', severity: 'critical' })
  expect(second.id).toBeGreaterThan(first.id)
  expect(await list()).toMatchObject([
    { event_type: 'sending_paused', severity: 'critical', details: { count: 1 } },
    {
      id: first.id,
      details: { limit: 100, count: 1 },
      is_resolved: false,
      resolved_at: null,
      resolved_by: null,
    },
  ])
})

it('a system event raised again within the cool-down is counted instead of stored again', {
  tags: 'S004-12',
}, async () => {
  const first = await raise({ details: { last: 'a' } })
  await raise({ details: { last: 'b' } })
  const third = await raise({ details: { last: 'c' } })
  expect(third.id).toBe(first.id)
  const events = await list()
  expect(events).toHaveLength(1)
  expect(events[0].details).toMatchObject({ last: 'c', count: 3, last_raised_at: expect.any(String) })
})

it.each([
  ['another type', { event_type: 'other' }],
  ['another tenant', { tenant_id: null }],
  ['another subject', { subject: 'smtp' }],
  ['no cool-down', { cool_down_seconds: 0 }],
])('a system event with %s is one of its own', { tags: 'S004-12' }, async (_name, change) => {
  await raise()
  await raise(change)
  expect(await list()).toHaveLength(2)
})

it('a system event raised after the cool-down or its resolution is new', { tags: 'S004-12' }, async () => {
  const first = await raise()
  await ageSystemEvents(carillon.pool, '61 minutes')
  const second = await raise()
  await resolve(second.id)
  const third = await raise()
  expect(new Set([first.id, second.id, third.id]).size).toBe(3)
  expect(third.details).toMatchObject({ count: 1 })
})

it('a system event raised over two connections at once is one that counts two', {
  tags: 'S004-12',
}, async () => {
  const open = await openTransaction(carillon.pool)
  const first = await raise({}, open.client)
  const second = raise()
  await untilBlocked(carillon.pool, 1, 'the second connection to wait')
  await open.commit()
  expect(await second).toMatchObject({ id: first.id, details: { count: 2 } })
  expect(await list()).toHaveLength(1)
})

it('system events raised by many processes at once lose no count', { tags: 'S004-12' }, async () => {
  const pools = Array.from({ length: 5 }, () => createPool(carillon.url, { max: 1 }))
  await Promise.all(pools.flatMap(pool => Array.from({ length: 4 }, () => raise({}, pool))))
  for (const pool of pools) await pool.end()
  expect(await list()).toMatchObject([{ details: { count: 20 } }])
})

it.each([
  ['one long text', { more: 1, text: 'x'.repeat(20_000) }],
  ['many small values', { list: Array.from({ length: 6000 }, () => 1) }],
  ['short numbers that are long in the database', { list: Array.from({ length: 900 }, () => 1e300) }],
])('a system event keeps only the names of details with %s', { tags: 'S004-10' }, async (_name, details) => {
  const event = await raise({ details })
  expect(event.details).toEqual({ omitted: Object.keys(details), count: 1 })
  const again = await raise({ details })
  expect(again.details).toMatchObject({ omitted: Object.keys(details), count: 2 })
})

it('the details of a system event stay bounded when they grow with every raise', {
  tags: 'S004-10',
}, async () => {
  for (const name of ['a', 'b', 'c', 'd']) await raise({ details: { [name]: 'x'.repeat(7000) } })
  const [event] = await list()
  expect(event.details).toMatchObject({ count: 4, d: 'x'.repeat(7000) })
  expect(JSON.stringify(event.details).length).toBeLessThanOrEqual(16_384)
})

it('the database refuses system event details of more than 16 KiB', { tags: 'S004-10' }, async () => {
  const insert = `insert into admin_system_events (event_type, severity, description, details)
      values ('x', 'low', '', jsonb_build_object('text', repeat('x', 16384)))`
  await expect(carillon.pool.query(insert)).rejects.toMatchObject({
    constraint: 'admin_system_events_details_check',
  })
})

it('system events are listed newest first, by severity, type and state', { tags: 'S004-11' }, async () => {
  await raise({ event_type: 'a', severity: 'low' })
  const b = await raise({ event_type: 'b', severity: 'high' })
  await raise({ event_type: 'c', severity: 'high' })
  await resolve(b.id)
  expect(await types()).toEqual(['c', 'b', 'a'])
  expect(await types('severity=high')).toEqual(['c', 'b'])
  expect(await types('event_type=a')).toEqual(['a'])
  expect(await types('state=open')).toEqual(['c', 'a'])
  expect(await types('state=resolved&severity=high')).toEqual(['b'])
  expect(
    problemOf(await carillon.request('GET', '/v1/system-events?severity=grave')).errors?.[0]?.field,
  ).toBe('severity')
})

it('a tenant sees its own system events; those of the instance need that scope', {
  tags: 'S004-7',
}, async () => {
  const other = await carillon.createTenant('events-elsewhere')
  const { key } = await carillon.createKey({ name: 'tenant only', scopes: ['admin'] })
  await raise({ event_type: 'ours' })
  await raise({ event_type: 'theirs', tenant_id: other.id })
  await raise({ event_type: 'instance', tenant_id: null })
  expect(await types('')).toEqual(['instance', 'ours'])
  expect(await types('', key)).toEqual(['ours'])
  expect(await types('', other.key)).toEqual(['theirs'])
})

it('resolving a system event sets its three fields, and a second time changes nothing', {
  tags: 'S004-11',
}, async () => {
  const { id } = await raise()
  const first = await resolve(id, { resolved_by: 'ada' })
  expect(first.body).toMatchObject({
    is_resolved: true,
    resolved_by: 'ada',
    resolved_at: expect.any(String),
  })
  const second = await resolve(id, { resolved_by: 'bob' })
  expect([second.status, second.body]).toEqual([200, first.body])
})

it('resolving a system event without a name uses the key’s user', { tags: 'S004-11' }, async () => {
  await carillon.putUser('op')
  const { key } = await carillon.createKey({ name: 'op', scopes: ['system_events:write'], user_id: 'op' })
  expect((await resolve((await raise()).id, {}, key)).body.resolved_by).toBe('op')
})

it('a system event is not found from another tenant, without the instance scope or with an unknown id', {
  tags: 'S004-7',
}, async () => {
  const other = await carillon.createTenant('resolve-elsewhere')
  const [ours, instance] = [await raise(), await raise({ tenant_id: null })]
  expect(problemOf(await resolve(ours.id, {}, other.key)).code).toBe('not_found')
  expect(problemOf(await resolve(instance.id, {}, other.key)).code).toBe('not_found')
  expect(problemOf(await resolve(999_999)).code).toBe('not_found')
  expect(await list('state=resolved')).toEqual([])
  for (const id of ['0', 'x', '1.5', '99999999999999999999']) {
    const wrong = await carillon.request('POST', `/v1/system-events/${id}/resolve`, { body: {} })
    expect([problemOf(wrong).status, wrong.body.errors[0].field]).toEqual([400, 'id'])
  }
})

it('revoking an API key raises a system event', { tags: 'S004-13' }, async () => {
  const { id } = await carillon.createKey({ name: 'old' })
  await carillon.request('DELETE', `/v1/api-keys/${id}`)
  expect(await list()).toMatchObject([
    { event_type: 'api_key_revoked', severity: 'low', details: { api_key_id: id } },
  ])
})

const insertEvent = (type: string, severity = 'low') =>
  `insert into admin_system_events (tenant_id, event_type, severity, description) values ($1, ${type}, '${severity}', '')`

describeColumns(carillon, {
  longest: [['admin_system_events.event_type', 50, insertEvent('$2')]],
  refused: [
    ['an unknown severity', insertEvent("'x'", 'grave'), 'admin_system_events_severity_check'],
    [
      'a half resolved event',
      insertEvent("'x'").replace('description)', 'description, is_resolved)').replace("'')", "'', true)"),
      'admin_system_events_resolved_whole',
    ],
  ],
})
