import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const users = (...user_ids: string[]) => ({ kind: 'users', user_ids })
const routeIds = async (id: string) => (await carillon.routesOf(id)).map(route => route.route_id)
const send = (audience: object, more: object = {}) => carillon.send({ audience, ...more })

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', locale: 'de', phone: '+4915112345678' })
  await carillon.putUser('bob', { email: 'bob@example.com', locale: 'pt-BR' })
  await carillon.putUser('mute')
  await carillon.putType('push_and_mail', { channels: ['push', 'email'] })
})

it('two users on two channels give four routes', { tags: 'S000-12' }, async () => {
  const id = await send(users('ada', 'bob'), { notification_type: 'push_and_mail' })
  expect(await routeIds(id)).toEqual(['email:user:ada', 'email:user:bob', 'push:user:ada', 'push:user:bob'])
})

it('repeated user ids and channels collapse to one route', { tags: 'S000-10' }, async () => {
  const id = await send(users('bob', 'ada', 'bob', 'bob'), { channels: ['email', 'email'] })
  expect(await routeIds(id)).toEqual(['email:user:ada', 'email:user:bob'])
  const record = (await carillon.request('GET', `/v1/records/${id}`)).body
  expect(record.recipients).toEqual(['ada', 'bob'])
})

it('addresses are reached on their own channel, without a user', { tags: 'S000-10' }, async () => {
  const id = await send({
    kind: 'addresses',
    channel: 'sms',
    addresses: ['+4915100001', '+4915100002', '+4915100001'],
  })
  const routes = await carillon.routesOf(id)
  expect(
    routes.map(({ route_id, user_id, resolved_address }) => [route_id, user_id, resolved_address]),
  ).toEqual([
    ['sms:address:+4915100001', null, '+4915100001'],
    ['sms:address:+4915100002', null, '+4915100002'],
  ])
})

it('admin_email takes its addresses from the type, and later changes do not count', {
  tags: 'S000-10',
}, async () => {
  const type = { channels: ['email' as const], admin_emails: ['ops@example.com', 'cto@example.com'] }
  await carillon.putType('disk_full', type)
  const id = await send({ kind: 'admin_email' }, { notification_type: 'disk_full' })
  await carillon.putType('disk_full', { ...type, admin_emails: ['new@example.com'] })
  expect(await routeIds(id)).toEqual(['email:admin:cto@example.com', 'email:admin:ops@example.com'])
})

it.each([
  ['users without ids', { kind: 'users', user_ids: [] }, 'invalid_recipients'],
  ['admin_email with ids', { kind: 'admin_email', user_ids: ['ada'] }, 'invalid_audience'],
  ['admin_email of an unknown type', { kind: 'admin_email' }, 'invalid_audience'],
])('an audience of %s is refused', { tags: 'S000-10' }, async (_name, audience, code) => {
  const body = { notification_type: 'no_such_type', audience, payload: {} }
  const answer = await carillon.request('POST', '/v1/intents', { body })
  expect(problemOf(answer)).toMatchObject({ status: 400, code })
})

it('one unknown recipient refuses the whole intent', { tags: 'S000-15' }, async () => {
  const before = await carillon.rowCounts()
  const body = { notification_type: 't', audience: users('ada', 'ghost', 'bob'), payload: {} }
  const problem = problemOf(await carillon.request('POST', '/v1/intents', { body }))
  expect(problem).toMatchObject({ status: 400, code: 'recipient_not_found' })
  expect(problem.detail).toContain('"ghost"')
  expect(await carillon.rowCounts()).toEqual(before)
})

it('creating the routes of a record again adds nothing', {
  tags: 'S000-13',
}, async () => {
  const id = await send(users('ada', 'bob'), { channels: ['email'] })
  const before = await carillon.routesOf(id)
  const again = await carillon.pool.query('select create_routes($1, $2, $3) as created', [
    carillon.tenantId,
    id,
    ['ada', 'bob'],
  ])
  expect(again.rows[0].created).toBe(0)
  expect(await carillon.routesOf(id)).toEqual(before)
  const copy = 'insert into routes select * from routes where notification_id = $1'
  await expect(carillon.pool.query(copy, [id])).rejects.toMatchObject({ constraint: 'routes_pkey' })
})

it('address and locale are resolved when the route is created and do not change afterwards', {
  tags: 'S000-14',
}, async () => {
  const id = await send(users('ada'), { channels: ['email', 'sms', 'in_app'] })
  const before = await carillon.routesOf(id)
  expect(before.map(route => [route.channel, route.resolved_address, route.resolved_locale])).toEqual([
    ['email', 'ada@example.com', 'de'],
    ['in_app', '', 'de'],
    ['sms', '+4915112345678', 'de'],
  ])
  await carillon.putUser('ada', { email: 'moved@example.com', locale: 'fr' })
  expect(await carillon.routesOf(id)).toEqual(before)
  await carillon.putUser('ada', { email: 'ada@example.com', locale: 'de', phone: '+4915112345678' })
})

it('an empty locale, or one that the tenant does not support, falls back to en', {
  tags: 'S000-14',
}, async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { locales: ['de', 'en'] } })
  const id = await send(users('ada', 'bob', 'mute'), { channels: ['push'] })
  await carillon.request('PATCH', '/v1/tenant', { body: { locales: null } })
  const locales = Object.fromEntries((await carillon.routesOf(id)).map(r => [r.user_id, r.resolved_locale]))
  expect(locales).toEqual({ ada: 'de', bob: 'en', mute: 'en' })
  const free = await send(users('bob'), { channels: ['push'] })
  expect((await carillon.routesOf(free))[0]!.resolved_locale).toBe('pt-BR')
})

it('a user without an address gets a skipped route with the reason', {
  tags: 'S000-16',
}, async () => {
  const id = await send(users('mute'), { channels: ['email', 'sms', 'push'] })
  const routes = await carillon.routesOf(id)
  expect(routes.map(route => [route.channel, route.status, route.reason])).toEqual([
    ['email', 'skipped', 'no_address'],
    ['push', 'pending', ''],
    ['sms', 'skipped', 'no_address'],
  ])
  expect(routes[0]).toMatchObject({
    next_attempt_at: null,
    attempt_count: 0,
    finished_at: routes[0]!.created_at,
  })
})

it('a type without admin addresses leaves one skipped route', { tags: 'S000-16' }, async () => {
  await carillon.putType('nobody_cares', { channels: ['email'] })
  const id = await send({ kind: 'admin_email' }, { notification_type: 'nobody_cares' })
  const routes = await carillon.routesOf(id)
  expect(routes).toMatchObject([{ status: 'skipped', reason: 'no_address', recipient_ref: 'admin:' }])
})

describe('the attempt budget', () => {
  const budgets = async (id: string) =>
    Object.fromEntries((await carillon.routesOf(id)).map(route => [route.channel, route.max_attempts]))
  const channels = ['push', 'email', 'in_app']

  it('the attempt budget is copied per channel: 3 for push, 7 for email, 5 for others', {
    tags: ['S000-21', 'S002-2'],
  }, async () => {
    expect(await budgets(await send(users('ada'), { channels }))).toEqual({ push: 3, email: 7, in_app: 5 })
  })

  it('a type may set the attempt budget, and a later change does not alter stored routes', {
    tags: 'S000-21',
  }, async () => {
    await carillon.putType('stubborn', { channels: ['push', 'email', 'in_app'], max_attempts: { push: 9 } })
    const id = await send(users('ada'), { notification_type: 'stubborn' })
    expect(await budgets(id)).toEqual({ push: 9, email: 7, in_app: 5 })
    await carillon.putType('stubborn', { channels: ['push', 'email', 'in_app'], max_attempts: { push: 1 } })
    await carillon.request('PATCH', '/v1/tenant', { body: { max_attempts: { email: 2, in_app: 4 } } })
    expect(await budgets(id)).toEqual({ push: 9, email: 7, in_app: 5 })
    const later = await send(users('ada'), { notification_type: 'stubborn' })
    expect(await budgets(later)).toEqual({ push: 1, email: 2, in_app: 4 })
    await carillon.request('PATCH', '/v1/tenant', { body: { max_attempts: { email: 7, push: 3 } } })
  })
})
