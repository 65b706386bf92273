import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { aConsumer, drainAll, emit, emptyLog, orderAll } from '../../../test/events.ts'
import { createMetrics } from '../../operations/telemetry/metrics.ts'
import { createStuckChecker } from './stuck.ts'

const carillon = useCarillon()
const open = async () =>
  (await carillon.readAll('/v1/system-events?state=open')).map(event => [event.event_type, event.subject])
const pass = (minutes: number) =>
  carillon.pool.query(
    'update domain_events_processed set moved_at = moved_at - make_interval(mins => $1::integer)',
    [minutes],
  )

beforeEach(async () => {
  await emptyLog(carillon.pool)
  await carillon.pool.query('delete from admin_system_events')
})

it('cursors that do not move raise system events until they move', { tags: 'S004-13' }, async () => {
  const check = createStuckChecker(carillon.pool)
  await pass(60)
  await emit(carillon.pool)
  await orderAll(carillon.pool)
  await check()
  // A cursor that had nothing to read has waited only since there is something.
  expect(await open()).toEqual([])
  await pass(6)
  await check()
  await check()
  const names = ['notify_fanout', 'triggers', 'webhooks']
  expect((await open()).toSorted()).toEqual(names.map(name => ['event_consumer_stuck', name]))
  for (const name of names) await drainAll(carillon.pool, { ...aConsumer(() => {}), name }, carillon.tenantId)
  expect(await open()).toEqual([])
  await check()
  expect(await open()).toEqual([])
})

it('a stuck cursor names the next event, which may end every process that reads it', {
  tags: 'S004-13',
}, async () => {
  const id = await emit(carillon.pool, { kind: 'poison' })
  await orderAll(carillon.pool)
  await pass(6)
  await createStuckChecker(carillon.pool)()
  const [event] = await carillon.readAll('/v1/system-events?state=open')
  expect(event.details).toMatchObject({ event_id: id, kind: 'poison', tries: 0 })
  expect(event.description).toContain('ends the process')
})

it('events without a place raise a system event unless they get one by the next check', {
  tags: 'S004-13',
}, async () => {
  const check = createStuckChecker(carillon.pool)
  await emit(carillon.pool)
  await check()
  expect(await open()).toEqual([])
  await orderAll(carillon.pool)
  await emit(carillon.pool)
  await check()
  expect(await open()).toEqual([])
  await check()
  expect(await open()).toEqual([['event_consumer_stuck', 'orderer']])
  await orderAll(carillon.pool)
  await check()
  expect(await open()).toEqual([])
})

it('the lag of each consumer is in the metrics', async () => {
  const metrics = createMetrics(carillon.pool)
  for (let n = 0; n < 3; n++) await emit(carillon.pool)
  await drainAll(
    carillon.pool,
    aConsumer(() => {}),
    carillon.tenantId,
  )
  await pass(10)
  const text = await metrics.text()
  expect(text).toContain('carillon_event_lag{consumer="triggers"} 0')
  expect(text).toContain('carillon_event_lag{consumer="webhooks"} 3')
  expect(text).toMatch(/carillon_event_cursor_oldest_seconds\{consumer="webhooks"\} 6\d\d/)
})
