import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aConsumer, drainAll, emit, orderAll } from '../../../test/events.ts'
import { sweepRetention } from '../../operations/retention/retention.ts'
import { drainPortion } from '../event-consumers/drain.ts'

const carillon = useCarillon()

it('old events are deleted once they have a place and every consumer has read them', {
  tags: 'S000-31',
}, async () => {
  await carillon.request('PATCH', '/v1/tenant', { body: { event_retention_days: 10 } })
  const swept = async () => (await sweepRetention(carillon.pool)).domain_events
  const age = (days: number, kind: string) =>
    carillon.pool.query(
      'update domain_events set created_at = now() - make_interval(days => $1, secs => 1) where kind = $2',
      [days, kind],
    )
  for (const kind of ['old', 'young']) await emit(carillon.pool, { kind })
  await orderAll(carillon.pool)
  await emit(carillon.pool, { kind: 'not in order' })
  await age(10, 'old')
  await age(9, 'young')
  await age(10, 'not in order')
  const consumers = ['notify_fanout', 'webhooks', 'triggers'].map(name => aConsumer(() => {}, { name }))
  for (const consumer of consumers) {
    expect(await swept()).toBe(0)
    // Unlike drainAll(), this gives the last event no place.
    expect(await drainPortion({ pool: carillon.pool, consumer }, carillon.tenantId)).toBe('end')
  }
  expect(await swept()).toBe(1)
  for (const consumer of consumers) await drainAll(carillon.pool, consumer, carillon.tenantId)
  await age(10, 'not in order')
  expect(await swept()).toBe(1)
  expect((await carillon.readAll('/v1/events')).map(event => event.kind)).toEqual(['young'])
})
