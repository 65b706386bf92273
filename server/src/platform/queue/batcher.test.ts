import { describe, expect, it } from 'vitest'
import { createBatcher } from './batcher.ts'

/** A flush that the test ends by hand. */
function controlled() {
  const batches: { items: number[]; finish: () => void; fail: (error: Error) => void }[] = []
  const flush = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items.map(item => item * 10)), fail: reject })
    })
  return { batches, flush }
}
const turn = () => new Promise(resolve => setImmediate(resolve))

describe('batcher', () => {
  it('flushes at once when idle and gathers what arrives meanwhile', async () => {
    const { batches, flush } = controlled()
    const batcher = createBatcher({ flush, maxBatch: 100 })
    const first = batcher.add(1)
    await turn()
    const later = [batcher.add(2), batcher.add(3), batcher.add(4)]
    await turn()
    expect(batches.map(batch => batch.items)).toEqual([[1]])
    batches[0]!.finish()
    expect(await first).toBe(10)
    await expect.poll(() => batches[1]?.items).toEqual([2, 3, 4])
    batches[1]!.finish()
    expect(await Promise.all(later)).toEqual([20, 30, 40])
  })

  it('never exceeds the batch size nor the slots', async () => {
    const { batches, flush } = controlled()
    const batcher = createBatcher({ flush, maxBatch: 2, slots: 2 })
    const answers = Promise.all([1, 2, 3, 4, 5].map(item => batcher.add(item)))
    await turn()
    expect(batches.map(batch => batch.items)).toEqual([
      [1, 2],
      [3, 4],
    ])
    for (const batch of batches) batch.finish()
    await expect.poll(() => batches[2]?.items).toEqual([5])
    batches[2]!.finish()
    expect(await answers).toEqual([10, 20, 30, 40, 50])
  })

  it('asks for the batch size each time, if it may change', async () => {
    const { batches, flush } = controlled()
    let size = 3
    const batcher = createBatcher({ flush, maxBatch: () => size })
    const answers = Promise.all([1, 2, 3, 4, 5, 6].map(item => batcher.add(item)))
    await turn()
    size = 1
    batches[0]!.finish()
    await expect.poll(() => batches[1]?.items).toEqual([4])
    size = 3
    batches[1]!.finish()
    await expect.poll(() => batches[2]?.items).toEqual([5, 6])
    batches[2]!.finish()
    expect(await answers).toEqual([10, 20, 30, 40, 50, 60])
  })

  it('flushes beside a running flush only when enough wait', async () => {
    const { batches, flush } = controlled()
    const batcher = createBatcher({ flush, maxBatch: 100, slots: 2, overlapFrom: 3 })
    const answers = [batcher.add(1)]
    await turn()
    answers.push(batcher.add(2), batcher.add(3))
    await turn()
    expect(batches.map(batch => batch.items)).toEqual([[1]])
    answers.push(batcher.add(4))
    await turn()
    expect(batches.map(batch => batch.items)).toEqual([[1], [2, 3, 4]])
    answers.push(batcher.add(5))
    for (const batch of batches) batch.finish()
    // An idle batcher flushes at once, however few items there are.
    await expect.poll(() => batches[2]?.items).toEqual([5])
    batches[2]!.finish()
    expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50])
  })

  it('never flushes items of one key at the same time, so that they keep their order; others pass meanwhile', async () => {
    const { batches, flush } = controlled()
    const orderOf = (item: number) => (item < 10 ? 'key' : undefined)
    const batcher = createBatcher({ flush, maxBatch: 100, slots: 2, orderOf })
    const answers = [batcher.add(1)]
    await turn()
    answers.push(batcher.add(2), batcher.add(10), batcher.add(3))
    await turn()
    expect(batches.map(batch => batch.items)).toEqual([[1], [10]])
    batches[0]!.finish()
    await expect.poll(() => batches[2]?.items).toEqual([2, 3])
    for (const batch of batches.slice(1)) batch.finish()
    expect(await Promise.all(answers)).toEqual([10, 20, 100, 30])
    await batcher.drained()
  })

  it('tries the items of a failed batch one by one, so that only the culprit fails', async () => {
    const flush = async (items: number[]) => {
      if (items.includes(13)) throw new Error('unlucky')
      return items
    }
    const batcher = createBatcher({ flush, maxBatch: 10, isolates: () => true })
    const answers = await Promise.allSettled([1, 13, 2].map(item => batcher.add(item)))
    expect(answers.map(answer => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('stops trying one by one when two items fail with what may hit them all', async () => {
    const flushed: number[][] = []
    const flush = async (items: number[]) => {
      flushed.push(items)
      if (items.some(item => item > 1)) throw new Error('locked')
      return items
    }
    const batcher = createBatcher({ flush, maxBatch: 10, isolates: () => true, isShared: () => true })
    const answers = await Promise.allSettled([1, 2, 3, 4, 5].map(item => batcher.add(item)))
    expect(answers.map(answer => answer.status)).toEqual(['fulfilled', ...Array(4).fill('rejected')])
    expect(flushed).toEqual([[1, 2, 3, 4, 5], [1], [2], [3]])
  })

  it('fails the whole batch for an error that is nobody’s fault', async () => {
    const { batches, flush } = controlled()
    const batcher = createBatcher({ flush, maxBatch: 10, isolates: () => false })
    const answers = Promise.allSettled([batcher.add(1), batcher.add(2)])
    await turn()
    batches[0]!.fail(new Error('database gone'))
    expect((await answers).every(answer => answer.status === 'rejected')).toBe(true)
    expect(batches).toHaveLength(1)
  })

  it('drained() waits for everything added', async () => {
    const { batches, flush } = controlled()
    const batcher = createBatcher({ flush, maxBatch: 1 })
    let isDrained = false
    void batcher.add(1)
    void batcher.add(2)
    const drained = batcher.drained().then(() => {
      isDrained = true
    })
    await turn()
    batches[0]!.finish()
    await expect.poll(() => batches.length).toBe(2)
    expect(isDrained).toBe(false)
    batches[1]!.finish()
    await drained
    expect(isDrained).toBe(true)
  })
})
