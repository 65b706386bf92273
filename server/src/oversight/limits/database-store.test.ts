import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { createDatabaseStore } from './database-store.ts'
import { describeStore } from './store.suite.ts'
import type { Caller } from './store.ts'

const carillon = useCarillon()

async function newCaller(): Promise<Caller> {
  const user_id = randomUUID()
  await carillon.putUser(user_id)
  const { id } = await carillon.createKey({ name: 'k' })
  return { tenant_id: carillon.tenantId, user_id, api_key_id: id }
}

describeStore('the database', () => ({ store: createDatabaseStore(carillon.pool), newCaller }))

describe('windows in the database', () => {
  const at = (time: string) => createDatabaseStore(carillon.pool, () => new Date(time))
  const ask = (caller: Caller, window_seconds: number, wanted: number) =>
    [{ caller, limit_type: 'api', window_seconds, limit: 5, wanted, known: { used: 0, ms: 0 } }] as const

  it('windows in the database start on the minute and on the day, from zero and with rows of their own', {
    tags: 'S002-25',
  }, async () => {
    const caller = await newCaller()
    const count = async (time: string, seconds: number, wanted = 3) =>
      (await at(time).countRequests([...ask(caller, seconds, wanted)]))[0]
    expect(await count('2026-03-01T10:00:30.500Z', 60)).toEqual({ granted: 3, used: 3, reset_ms: 29_500 })
    expect(await count('2026-03-01T10:00:59.999Z', 60)).toEqual({ granted: 2, used: 5, reset_ms: 1 })
    expect(await count('2026-03-01T10:01:00Z', 60)).toEqual({ granted: 3, used: 3, reset_ms: 60_000 })
    expect(await count('2026-03-01T23:59:59Z', 86_400)).toEqual({ granted: 3, used: 3, reset_ms: 1000 })
    const { rows } = await carillon.pool.query(
      'select window_start, request_count, api_key_id from rate_limits where user_id = $1 order by window_start',
      [caller.user_id],
    )
    expect(rows.map(row => [row.window_start.toISOString(), row.request_count, row.api_key_id])).toEqual([
      ['2026-03-01T00:00:00.000Z', 3, null],
      ['2026-03-01T10:00:00.000Z', 5, null],
      ['2026-03-01T10:01:00.000Z', 3, null],
    ])
  })

  it('windows in the database are deleted with their user, and asking for a deleted user fails no other', {
    tags: 'S002-34',
  }, async () => {
    const [leaver, stayer] = [await newCaller(), await newCaller()]
    const store = at('2026-03-01T10:00:00Z')
    const windows = async () => (await carillon.rowCounts()).rate_limits!
    const before = await windows()
    await store.countRequests([...ask(leaver, 60, 1)])
    expect(await windows()).toBe(before + 1)
    await carillon.request('DELETE', `/v1/users/${leaver.user_id}`)
    expect(await windows()).toBe(before)
    const answers = await store.countRequests([...ask(leaver, 60, 1), ...ask(stayer, 60, 1)])
    expect(answers.map(answer => answer.granted)).toEqual([0, 1])
  })

  it('the database refuses a second row per caller, window and type', { tags: 'S002-25' }, async () => {
    const { tenant_id, user_id } = await newCaller()
    const insert = () =>
      carillon.pool.query(
        `insert into rate_limits (tenant_id, user_id, limit_type, window_start, request_count) values ($1, $2, 'api', '2026-01-01', 0)`,
        [tenant_id, user_id],
      )
    await insert()
    await expect(insert()).rejects.toMatchObject({ constraint: 'rate_limits_key' })
  })
})
