import { expect, it } from 'vitest'
import { openTransaction } from '../../../test/open-transaction.ts'
import { useFigures } from './figures.fixture.ts'

const { carillon, addRoutes, settlePending, rollUp, hourly, age } = useFigures()
const counts = (rows: { sent: number; failed: number; pending: number }[]) =>
  rows.map(({ sent, failed, pending }) => [sent, failed, pending])

it('the rollup counts all hours at first and after a pause, however long ago', async () => {
  await addRoutes({ hoursAgo: 24 * 20 })
  await addRoutes({ hoursAgo: 24 * 10 })
  expect(await rollUp()).toBeGreaterThan(24 * 20)
  expect(await hourly()).toHaveLength(2)
  await addRoutes({ hoursAgo: 24 * 5 })
  await rollUp()
  expect(await hourly()).toHaveLength(3)
})

it('later rollups count only the current hour and those that may still change', async () => {
  for (const hoursAgo of [1, 5, 100, 101]) await addRoutes({ hoursAgo })
  await addRoutes({ hoursAgo: 101, status: 'pending' })
  await rollUp()
  await settlePending()
  await carillon.pool.query(
    "update routes set status = 'dead', dead_at = now(), sent_at = null where sent_at is not null",
  )
  await rollUp()
  expect(counts(await hourly())).toEqual([
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 1],
  ])
  await age('30 minutes')
  await rollUp()
  // The hour before: its figures are older than a fifth of its age.
  expect(counts(await hourly())).toEqual([
    [0, 1, 0],
    [1, 0, 0],
    [1, 0, 0],
    [1, 0, 1],
  ])
  await age('61 minutes')
  await rollUp()
  // Five hours ago, and the old hour with an open route; a hundred hours ago everything was finished.
  expect(counts(await hourly())).toEqual([
    [0, 1, 0],
    [0, 1, 0],
    [1, 0, 0],
    [0, 2, 0],
  ])
})

it('the rollup counts the hour before as long as some of its routes are open', async () => {
  await addRoutes({ hoursAgo: 1, status: 'pending', count: 2 })
  await rollUp()
  expect(counts(await hourly())).toEqual([[0, 0, 2]])
  await settlePending()
  await rollUp()
  expect(counts(await hourly())).toEqual([[2, 0, 0]])
})

it('the first rollup after the end of an hour counts what came since the hour was counted', async () => {
  await addRoutes({ hoursAgo: 1, minute: 10 })
  await rollUp()
  await addRoutes({ hoursAgo: 1, minute: 59 })
  await carillon.pool.query(
    `update notification_metrics set updated_at = date_trunc('hour', now()) - interval '1 second'`,
  )
  await rollUp()
  expect(counts(await hourly())).toEqual([[2, 0, 0]])
})

it('the rollup counts an old hour again when one of its dead letters is replayed', async () => {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  const id = await carillon.send()
  await carillon.settled(id, 'dead')
  await worker.stop()
  await carillon.pool.query("update records set accepted_at = now() - interval '5 days'")
  await rollUp()
  expect(counts(await hourly())).toEqual([[0, 1, 0]])
  const [letter] = await carillon.readAll('/v1/dead-letters')
  await carillon.request('POST', `/v1/dead-letters/${letter.id}/replay`)
  await rollUp()
  expect(counts(await hourly())).toEqual([[0, 0, 1]])
})

it('the rollup never counts an hour whose records retention may have begun to delete', async () => {
  await addRoutes({ hoursAgo: 24 * 40, count: 5, status: 'pending' })
  await rollUp()
  await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 30 } })
  await carillon.pool.query('delete from routes')
  await age('2 days')
  await rollUp()
  expect(counts(await hourly())).toEqual([[0, 0, 5]])
  await carillon.request('PATCH', '/v1/tenant', { body: { record_retention_days: 90 } })
})

it('one process at a time rolls up a tenant; another one leaves the tenant alone', {
  tags: 'S002-23',
}, async () => {
  await addRoutes({ hoursAgo: 1 })
  const holder = await openTransaction(carillon.pool)
  await holder.client.query(
    "select pg_advisory_xact_lock(hashtextextended(format('metrics %s', $1::text), 0))",
    [carillon.tenantId],
  )
  expect(await rollUp()).toBe(0)
  await holder.rollback()
  const both = await Promise.all([rollUp(), rollUp()])
  expect(Math.max(...both)).toBe(2)
  expect(counts(await hourly())).toEqual([[1, 0, 0]])
})

it('the rollup counts each tenant separately', { tags: 'S004-7' }, async () => {
  const { key } = await carillon.createTenant('counted elsewhere')
  await addRoutes({ hoursAgo: 1 })
  await rollUp()
  expect(await carillon.readAll('/v1/metrics', 100, key)).toEqual([])
})
