import { expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { SWEEP_SYSTEM_EVENTS } from './sweep.ts'
import { raiseSystemEvent } from './system-events.ts'

const carillon = useCarillon()

it('events are kept for the days of their tenant, those of the instance for a year', {
  tags: 'S004-14',
}, async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { system_event_retention_days: 100 } })
  for (const tenant_id of [carillon.tenantId, null])
    for (const days of [99, 101, 364, 366]) {
      const event = { event_type: 'e', subject: `${days}`, severity: 'low', description: 'x' } as const
      const { id } = await raiseSystemEvent(carillon.pool, { ...event, tenant_id })
      await carillon.pool.query(
        'update admin_system_events set created_at = now() - make_interval(days => $2) where id = $1',
        [id, days],
      )
    }
  expect((await carillon.pool.query(SWEEP_SYSTEM_EVENTS, [2])).rowCount).toBe(3)
  expect((await carillon.pool.query(SWEEP_SYSTEM_EVENTS, [100])).rowCount).toBe(1)
  const { rows } = await carillon.pool.query(
    'select subject, tenant_id is null as of_instance from admin_system_events order by 2, subject::integer',
  )
  expect(rows).toEqual([
    { subject: '99', of_instance: false },
    ...['99', '101', '364'].map(subject => ({ subject, of_instance: true })),
  ])
})

it.each([89, 366, 0])('a retention of %i days is refused', { tags: 'S004-14' }, async days => {
  const answer = await carillon.request('PATCH', '/v1/tenant', {
    body: { system_event_retention_days: days },
  })
  expect(problemOf(answer)).toMatchObject({
    status: 400,
    errors: [{ field: 'system_event_retention_days' }],
  })
})
