import { beforeAll, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const users = (...user_ids: string[]) => ({ kind: 'users', user_ids })
let early: string
let late: string

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
  const intent = { channels: ['email', 'push'], idempotency_key: 'early', producer: 'shop' }
  early = await carillon.send({ ...intent, notification_type: 'order', audience: users('ada', 'bob') })
  late = await carillon.send({
    ...intent,
    notification_type: 'news',
    audience: users('ada'),
    idempotency_key: 'late',
    producer: 'crm',
  })
  // Ids carry the time, too; routes get the new one with their record.
  const then = Date.parse('2026-01-01T12:00:00.500Z').toString(16).padStart(12, '0')
  const id = `${then.slice(0, 8)}-${then.slice(8)}${early.slice(13)}`
  await carillon.pool.query(
    "update records set notification_id = $2, accepted_at = '2026-01-01T12:00:00.500Z' where notification_id = $1",
    [early, id],
  )
  early = id
  await carillon.pool.query(
    "update routes set created_at = '2026-01-01T12:00:00.500Z' where notification_id = $1",
    [early],
  )
  await carillon.pool.query(
    `update routes set status = 'sent', sent_at = now(), next_attempt_at = null, provider = 'smtp' where channel = 'email'`,
  )
})

const routes = async (query: string) =>
  (await carillon.readAll(`/v1/routes?${query}`)).map(
    route => `${route.notification_id === early ? 'early' : 'late'} ${route.route_id}`,
  )
const records = async (query: string) =>
  (await carillon.readAll(`/v1/records?${query}`)).map(({ notification_id }) =>
    notification_id === early ? 'early' : 'late',
  )

it.each([
  ['user_id=bob', ['early push:user:bob', 'early email:user:bob']],
  ['status=sent', ['late email:user:ada', 'early email:user:bob', 'early email:user:ada']],
  ['notification_type=news', ['late push:user:ada', 'late email:user:ada']],
  ['provider=smtp&user_id=ada', ['late email:user:ada', 'early email:user:ada']],
  ['created_before=2026-01-02T00:00:00Z&channel=push', ['early push:user:bob', 'early push:user:ada']],
  ['created_after=2026-01-02T00:00:00Z&channel=push', ['late push:user:ada']],
  [
    'created_after=2026-01-01T12:00:00.499Z&created_before=2026-01-01T12:00:00.501Z&status=sent',
    ['early email:user:bob', 'early email:user:ada'],
  ],
  ['user_id=nobody', []],
])('routes are filtered by %s, newest first', { tags: 'S002-8' }, async (query, expected) => {
  expect(await routes(query)).toEqual(expected)
})

it.each([
  ['status=done', 'status'],
  ['channel=fax', 'channel'],
  ['created_after=yesterday', 'created_after'],
  ['notification_tipe=x', 'notification_tipe'],
])('the list of routes refuses the filter %s and names it', async (query, field) => {
  const problem = problemOf(await carillon.request('GET', `/v1/routes?${query}`))
  expect([problem.status, problem.code, problem.errors?.[0]?.field]).toEqual([400, 'invalid_request', field])
})

it.each([
  ['notification_type=order', ['early']],
  ['producer=crm', ['late']],
  ['idempotency_key=early&producer=shop', ['early']],
  ['accepted_before=2026-01-02T00:00:00Z', ['early']],
  ['accepted_after=2026-01-02T00:00:00%2B00:00', ['late']],
  ['user_id=ada', ['late', 'early']],
  ['user_id=bob', ['early']],
  ['user_id=nobody', []],
  ['user_id=ada&notification_type=order', ['early']],
  ['user_id=ada&accepted_after=2026-01-02T00:00:00Z', ['late']],
  ['user_id=bob&status=sent', ['early']],
  ['user_id=bob&status=dead', []],
  ['user_id=bob&idempotency_key=late', []],
  ['status=sent', ['late', 'early']],
  ['status=pending', ['late', 'early']],
  ['status=skipped', []],
  ['status=sent&idempotency_key=late', ['late']],
  ['event_id=01900000-0000-7000-8000-000000000000', []],
  ['', ['late', 'early']],
])('records are filtered by "%s", newest first', { tags: 'S002-8' }, async (query, expected) => {
  expect(await records(query)).toEqual(expected)
})

it('a new route is pending and due at once, with none of its five attempts used', {
  tags: 'S002-2',
}, async () => {
  const id = await carillon.send({ audience: users('ada'), channels: ['in_app'] })
  const [route] = await carillon.routesOf(id)
  expect(route).toMatchObject({
    status: 'pending',
    attempt_count: 0,
    max_attempts: 5,
    reason: '',
    provider: '',
    finished_at: null,
  })
  expect(route!.next_attempt_at).toBe(route!.created_at)
})

it('a record counts its routes by status', async () => {
  const record = await carillon.request('GET', `/v1/records/${early}`)
  expect(record.body).toMatchObject({ producer: 'shop', routes: { pending: 2, sent: 2 } })
})

it.each(['', '/routes', '/explain'])(
  '/v1/records/{id}%s answers 404 to an unknown id and 400 to an invalid one',
  async path => {
    const unknown = await carillon.request('GET', `/v1/records/01900000-0000-7000-8000-000000000000${path}`)
    expect(problemOf(unknown)).toMatchObject({ status: 404, code: 'not_found' })
    const wrong = await carillon.request('GET', `/v1/records/not-an-id${path}`)
    expect(problemOf(wrong)).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(wrong.body.errors[0].field).toBe('id')
  },
)

it('a route that was not tried has no attempts, and listing attempts needs valid ids', async () => {
  const query = `notification_id=${late}&route_id=email:user:ada`
  expect((await carillon.request('GET', `/v1/routes/attempts?${query}`)).body).toEqual({ data: [] })
  const bad = await carillon.request('GET', '/v1/routes/attempts?notification_id=1')
  expect(problemOf(bad).errors?.map(error => error.field)).toEqual(['notification_id', 'route_id'])
})
