import { beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { type RaisedEvent, raiseSystemEvent } from '../../oversight/system-events/system-events.ts'

const carillon = useCarillon()
const patch = (body: object) => carillon.request('PATCH', '/v1/tenant', { body })
const raise = (event: Partial<RaisedEvent> = {}) =>
  raiseSystemEvent(carillon.pool, {
    tenant_id: carillon.tenantId,
    event_type: 'quota_exceeded',
    severity: 'high',
    description: 'The quota is used up.',
    ...event,
  })
const announced = () => carillon.readAll('/v1/records?notification_type=system_event')

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('bob', { email: 'bob@example.com' })
  await patch({ accept_unknown_types: false, system_event_admins: ['ada', 'gone', 'bob'] })
})
beforeEach(async () => {
  await carillon.pool.query('delete from admin_system_events')
  await carillon.pool.query('delete from records')
})

it('new system events reach the people named for them, through the ordinary pipeline', {
  tags: 'S004-13',
}, async () => {
  const { id } = await raise({ subject: 'mails' })
  const [record] = await announced()
  expect(record).toMatchObject({
    producer: 'carillon',
    idempotency_key: `system_event:${id}`,
    reason: 'system_event',
    channels: ['in_app', 'email'],
  })
  const routes = await carillon.readAll(`/v1/records/${record!.notification_id}/routes`)
  expect(routes.map(route => route.route_id).sort()).toEqual(
    ['ada', 'bob'].flatMap(user => [`email:user:${user}`, `in_app:user:${user}`]).sort(),
  )
})

it('those who switched the category off get no mail', async () => {
  const body = { categories: { system: { email: false } } }
  expect(await carillon.request('PUT', '/v1/users/bob/preferences', { body })).toMatchObject({ status: 200 })
  await raise()
  const [record] = await announced()
  const worker = carillon.deliver(() => ({ kind: 'sent' }))
  const reasons = async () => {
    const routes = await carillon.readAll(`/v1/records/${record!.notification_id}/routes`)
    return Object.fromEntries(routes.map(route => [route.route_id, route.reason || route.status]))
  }
  await expect.poll(reasons).toEqual({
    'email:user:ada': 'sent',
    'email:user:bob': 'category_off',
    'in_app:user:ada': 'sent',
    'in_app:user:bob': 'sent',
  })
  await worker.stop()
})

it('an event that is only counted is not announced again, nor one of a lower severity', async () => {
  await raise()
  await raise()
  await raise({ event_type: 'minor', severity: 'medium' })
  expect(await announced()).toHaveLength(1)
})

it('a loop ends: what eight dispatches led to, and more than fifty events of an hour, are not announced', async () => {
  await raise({ details: { trigger_depth: 8 } })
  expect(await announced()).toHaveLength(0)
  for (let n = 0; n < 60; n++) await raise({ subject: `${n}` })
  expect(await announced()).toHaveLength(49)
})

it('many events that nobody is told about do not hide one that matters', async () => {
  for (let n = 0; n < 60; n++) await raise({ severity: 'low', subject: `${n}` })
  await raise({ severity: 'critical', subject: 'disk' })
  expect(await announced()).toHaveLength(1)
})

it('an event that gets worse while it is counted is announced once it is severe enough, and again once it is worse', async () => {
  await raise({ severity: 'low' })
  expect(await announced()).toHaveLength(0)
  for (const severity of ['high', 'medium', 'critical', 'critical'] as const) await raise({ severity })
  expect(await announced()).toHaveLength(2)
})

it('events of the instance go to the people of its first tenant', async () => {
  await raise({ tenant_id: null })
  expect(await announced()).toHaveLength(1)
})

it('an event is kept if it cannot be announced', async () => {
  await carillon.pool.query('alter table expansions rename to expansions_away')
  try {
    expect(await raise()).toMatchObject({ event_type: 'quota_exceeded' })
  } finally {
    await carillon.pool.query('alter table expansions_away rename to expansions')
  }
})
