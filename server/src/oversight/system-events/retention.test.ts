import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { ageSystemEvents } from './stored-events.fixture.ts'
import { SWEEP_SYSTEM_EVENTS } from './sweep.ts'
import { raiseSystemEvent } from './system-events.ts'

const carillon = useCarillon()

it('system events are kept for the days of their tenant, those of the instance for a year', {
  tags: 'S004-14',
}, async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { system_event_retention_days: 100 } })
  for (const tenant_id of [carillon.tenantId, null])
    for (const days of [99, 101, 364, 366]) {
      const event = { event_type: 'e', subject: `${days}`, severity: 'low', description: 'x' } as const
      const { id } = await raiseSystemEvent(carillon.pool, { ...event, tenant_id })
      await ageSystemEvents(carillon.pool, `${days} days`, id)
    }
  expect((await carillon.pool.query(SWEEP_SYSTEM_EVENTS, [2])).rowCount).toBe(3)
  expect((await carillon.pool.query(SWEEP_SYSTEM_EVENTS, [100])).rowCount).toBe(1)
  const kept = await carillon.readAll('/v1/system-events')
  expect(kept.map(({ tenant_id, subject }) => [tenant_id, subject])).toEqual([
    [null, '99'],
    [carillon.tenantId, '99'],
    [null, '101'],
    [null, '364'],
  ])
})

it.each([89, 366, 0])('a system event retention of %i days is refused', { tags: 'S004-14' }, async days => {
  const answer = await carillon.request('PATCH', '/v1/tenant', {
    body: { system_event_retention_days: days },
  })
  expect(problemOf(answer)).toMatchObject({
    status: 400,
    errors: [{ field: 'system_event_retention_days' }],
  })
})
