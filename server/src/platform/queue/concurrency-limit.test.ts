import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from './concurrency-limit.ts'

describe('concurrency limit', () => {
  it('never runs more than its limit, keeps the order, and frees the slot of work that failed', async () => {
    const limit = createConcurrencyLimit(2)
    const started: number[] = []
    const ends: (() => void)[] = []
    const results = [0, 1, 2, 3].map(n =>
      limit.run(() => {
        started.push(n)
        return new Promise<number>((resolve, reject) =>
          ends.push(() => (n === 0 ? reject(new Error('no')) : resolve(n))),
        )
      }),
    )
    const settled = Promise.allSettled(results)
    await expect.poll(() => started).toEqual([0, 1])
    ends[0]!()
    await expect.poll(() => started).toEqual([0, 1, 2])
    ends[2]!()
    await expect.poll(() => started).toEqual([0, 1, 2, 3])
    ends[1]!()
    ends[3]!()
    expect((await settled).map(result => result.status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ])
    expect(await limit.run(async () => 'free again')).toBe('free again')
  })
})
