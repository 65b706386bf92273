import { expect, it } from 'vitest'
import { createTimeSlicer } from './time-slices.ts'

it('the time slicer runs work in order, and a piece that throws fails alone', async () => {
  const runInSlice = createTimeSlicer()
  const done: number[] = []
  const results = await Promise.allSettled(
    [1, 2, 3].map(i =>
      runInSlice(() => {
        done.push(i)
        if (i === 2) throw new Error('two')
        return i
      }),
    ),
  )
  expect(done).toEqual([1, 2, 3])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await runInSlice(() => 4)).toBe(4)
})

it('the time slicer lets other work run after ten milliseconds', async () => {
  let now = 0
  const runInSlice = createTimeSlicer(() => now)
  const order: string[] = []
  const others = () => {
    order.push('others')
    if (order.length < 12) setImmediate(others)
  }
  setImmediate(others)
  const work = [4, 4, 4, 20, 1, 9, 1].map(ms =>
    runInSlice(() => {
      now += ms
      order.push(`${ms} ms`)
    }),
  )
  await Promise.all(work)
  expect(order.filter((step, i) => step !== 'others' || order[i - 1] !== 'others')).toEqual([
    'others',
    ...['4 ms', '4 ms', '4 ms', 'others'],
    ...['20 ms', 'others'],
    ...['1 ms', '9 ms', 'others'],
    '1 ms',
  ])
})
