import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()

/** The routes of a record with their attempts, and its dead letters. */
async function belongingTo(id: string) {
  const routes = await carillon.routesOf(id)
  const attempts = await Promise.all(
    routes.map(async ({ notification_id, route_id }) => {
      const query = new URLSearchParams({ notification_id, route_id })
      return (await carillon.request('GET', `/v1/routes/attempts?${query}`)).body.data
    }),
  )
  const letters = await carillon.readAll('/v1/dead-letters')
  return { routes, attempts, letters: letters.filter(letter => letter.notification_id === id) }
}

let record: string
beforeEach(async () => {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  record = await carillon.send()
  await carillon.settled(record, 'dead')
  await worker.stop()
})

it('a deleted record takes its routes, their attempts and their dead letters along', {
  tags: 'S002-34',
}, async () => {
  expect(await carillon.rowCounts()).toMatchObject({ routes: 1, route_attempts: 1, dead_letters: 1 })
  await carillon.pool.query('delete from records')
  expect(await carillon.rowCounts()).toMatchObject({ routes: 0, route_attempts: 0, dead_letters: 0 })
})

it('routes, attempts and dead letters follow a record whose id changes', { tags: 'S002-34' }, async () => {
  const before = await belongingTo(record)
  expect([before.routes.length, before.attempts.flat().length, before.letters.length]).toEqual([1, 1, 1])
  const other = randomUUID()
  await carillon.pool.query('update records set notification_id = $2 where notification_id = $1', [
    record,
    other,
  ])
  const after = JSON.stringify(await belongingTo(other))
  expect(after).toBe(JSON.stringify(before).replaceAll(record, other))
  expect(await carillon.rowCounts()).toMatchObject({ routes: 1, route_attempts: 1, dead_letters: 1 })
})
