import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const count = async (table: string, id: string) =>
  (await carillon.pool.query(`select from ${table} where notification_id = $1`, [id])).rowCount

let record: string
beforeEach(async () => {
  const worker = carillon.deliver(() => ({ kind: 'permanent', message: 'no' }))
  record = await carillon.send()
  await carillon.settled(record, 'dead')
  await worker.stop()
})

describe('a deleted record', () => {
  it('deletes its routes, their attempts and their letters too', { tags: 'S002-34' }, async () => {
    const tables = ['routes', 'route_attempts', 'dead_letters']
    for (const table of tables) expect(await count(table, record)).toBeGreaterThan(0)
    await carillon.pool.query('delete from records where notification_id = $1', [record])
    for (const table of tables) {
      expect([table, await count(table, record)]).toEqual([table, 0])
    }
  })

  it('routes, attempts and letters follow a changed id', { tags: 'S002-34' }, async () => {
    const tables = ['routes', 'route_attempts', 'dead_letters']
    const before = await Promise.all(tables.map(table => count(table, record)))
    const other = randomUUID()
    await carillon.pool.query('update records set notification_id = $2 where notification_id = $1', [
      record,
      other,
    ])
    expect(await Promise.all(tables.map(table => count(table, other)))).toEqual(before)
    expect(await Promise.all(tables.map(table => count(table, record)))).toEqual([0, 0, 0])
  })
})
