import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { useDatabase } from '../../../test/database.ts'
import { createReserve, reserveSends } from './reserve.ts'

const database = useDatabase()
const START = Date.parse('2026-03-01T12:00:00Z')
const at = (seconds: number) => new Date(START + seconds * 1000)

describe('a rate', () => {
  it('grants what fits, and says when the next one does', { tags: 'S002-22' }, async () => {
    const id = randomUUID()
    const ask = (wanted: number, seconds: number) => reserveSends(database.pool, id, 60, wanted, at(seconds))
    expect(await ask(50, 0)).toMatchObject({ granted: 50 })
    expect(await ask(50, 0.5)).toMatchObject({ granted: 10 })
    const refused = await ask(5, 10)
    expect(refused).toEqual({ granted: 0, wait_ms: 51_000 })
    expect(await ask(5, 10 + refused.wait_ms / 1000)).toMatchObject({ granted: 5 })
  })

  it('never tells to come back at once when nothing is free', async () => {
    const id = randomUUID()
    const ask = (wanted: number, seconds: number) => reserveSends(database.pool, id, 2, wanted, at(seconds))
    for (const second of [0, 1]) await ask(1, second)
    // The send of second 0 counts no more, that of second 1 does for another second.
    expect(await ask(2, 61)).toEqual({ granted: 1, wait_ms: 1000 })
  })

  it.each([1, 7, 60, 600])(
    '%i per minute: never more in any sixty seconds, and nearly that many, with four asking at once',
    async limit => {
      const id = randomUUID()
      const grants: number[] = []
      for (let second = 0; second < 300; second += 1.7) {
        const asks = [1, 9, 3, 20].map(wanted => reserveSends(database.pool, id, limit, wanted, at(second)))
        for (const { granted } of await Promise.all(asks)) grants.push(...Array<number>(granted).fill(second))
      }
      const busiest = Math.max(
        ...grants.map(start => grants.filter(time => time >= start && time < start + 60).length),
      )
      expect(busiest).toBeLessThanOrEqual(limit)
      expect(grants.length).toBeGreaterThanOrEqual(Math.floor(limit * 5 * 0.93))
    },
  )

  it('belongs to one subject: another has its own', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    expect(await reserveSends(database.pool, one, 5, 5, at(0))).toMatchObject({ granted: 5 })
    expect(await reserveSends(database.pool, other, 5, 5, at(0))).toMatchObject({ granted: 5 })
  })

  it('spreads those that ask together and do not fit over the minutes to come', async () => {
    const reserve = createReserve({ pool: database.pool, rateClock: () => at(0) }, randomUUID(), 2)
    const waits = await Promise.all(Array.from({ length: 6 }, () => reserve()))
    expect(waits).toEqual([undefined, undefined, 61_000, 61_000, 121_000, 121_000])
  })
})
