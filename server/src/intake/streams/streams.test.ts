import { afterEach, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { addStream } from '../../../test/streams.ts'
import { raiseMissingTenant } from './missing-tenant.ts'
import { checkReadability } from './readability.ts'
import { settingsOf } from './reading.fixture.ts'

const carillon = useCarillon()
afterEach(async () => {
  await carillon.pool.query('delete from streams')
  await carillon.pool.query('delete from admin_system_events')
})

const openEvents = async () =>
  (await carillon.request('GET', '/v1/system-events?event_type=stream_unreadable&state=open')).body.data
const change = (is_paused: boolean) =>
  carillon.request('PATCH', '/v1/streams/orders', { body: { is_paused } })
const readAgo = (minutes: number) =>
  carillon.pool.query(
    `update streams set last_read_at = now() - make_interval(mins => $1), expected_since = now() - interval '1 hour'`,
    [minutes],
  )

it('operators are told once of a stream that nobody reads, and when it is read again it is over', async () => {
  await addStream(carillon.pool, carillon.tenantId, 'orders')
  await checkReadability(carillon.pool)
  expect(await openEvents()).toEqual([])
  await readAgo(2)
  for (let round = 0; round < 2; round++) await checkReadability(carillon.pool)
  expect(await openEvents()).toMatchObject([{ subject: 'orders', severity: 'high', details: {} }])
  expect((await carillon.request('GET', '/v1/streams/orders')).body.status).toBe('failing')
  await readAgo(0)
  await checkReadability(carillon.pool)
  expect(await openEvents()).toEqual([])
})

it('nobody is told of a stream that is paused, or was resumed just now, or is forgotten', async () => {
  await addStream(carillon.pool, carillon.tenantId, 'orders')
  await readAgo(2)
  expect((await change(true)).body.status).toBe('paused')
  await checkReadability(carillon.pool)
  expect((await change(false)).body).toMatchObject({ status: 'reading', paused_at: null })
  await checkReadability(carillon.pool)
  expect(await openEvents()).toEqual([])
  await readAgo(2)
  await checkReadability(carillon.pool)
  expect(await openEvents()).toHaveLength(1)
  expect((await carillon.request('DELETE', '/v1/streams/orders')).status).toBe(204)
  expect(await openEvents()).toEqual([])
})

it('a stream whose tenant does not exist is told once', async () => {
  const errors: unknown[] = []
  const [setting] = settingsOf({ name: 'orders', url: 'redis://x', key: 'k', tenant: 'acme' })
  const raise = raiseMissingTenant(carillon.pool, error => errors.push(error))
  for (let round = 0; round < 2; round++) raise(setting!)
  await expect
    .poll(async () => (await openEvents()).map((event: { description: string }) => event.description))
    .toEqual([
      'The stream "orders" is not read: CARILLON_STREAMS names the tenant "acme", which does not exist.',
    ])
  expect(errors).toEqual([])
})

it('a stream that is not there cannot be paused', async () => {
  expect(problemOf(await change(true))).toMatchObject({ status: 404, code: 'not_found' })
  const wrong = await carillon.request('PATCH', '/v1/streams/orders', { body: { paused: true } })
  expect(problemOf(wrong)).toMatchObject({ status: 400 })
})

it('what waits in streams is in the metrics', async () => {
  await addStream(carillon.pool, carillon.tenantId, 'orders')
  const { body } = await carillon.request('GET', '/metrics', { key: null })
  expect(String(body)).toContain('carillon_stream_waiting{stream="orders"} 7')
  expect(String(body)).toMatch(/carillon_stream_oldest_seconds\{stream="orders"\} \d/)
  expect(String(body)).toContain('carillon_stream_paused{stream="orders"} 0')
})
