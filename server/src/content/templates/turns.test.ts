import { performance } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

const busy = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('work is done in order, and what throws fails alone', async () => {
  const inTurn = createTurns()
  const done: number[] = []
  const results = await Promise.allSettled(
    [1, 2, 3].map(i =>
      inTurn(() => {
        done.push(i)
        if (i === 2) throw new Error('two')
        return i
      }),
    ),
  )
  expect(done).toEqual([1, 2, 3])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await inTurn(() => 4)).toBe(4)
})

it('others get their turn between long work', async () => {
  const inTurn = createTurns()
  let turns = 0
  const count = setInterval(() => turns++, 0)
  await Promise.all(Array.from({ length: 10 }, () => inTurn(() => busy(20))))
  clearInterval(count)
  expect(turns).toBeGreaterThanOrEqual(5)
})
