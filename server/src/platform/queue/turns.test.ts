import { expect, it } from 'vitest'
import { createTurns } from './turns.ts'

it('gives the turn to one after the other, in the order in which they asked, each lane for itself', async () => {
  const turns = createTurns()
  const order: string[] = []
  const endFirst = await turns.take('a')
  const others = ['second', 'third'].map(async name => {
    const end = await turns.take('a')
    order.push(name)
    end()
  })
  const endOther = await turns.take('b')
  order.push('other lane')
  endOther()
  expect([turns.isTaken('a'), turns.isTaken('b')]).toEqual([true, false])
  endFirst()
  await Promise.all(others)
  expect(order).toEqual(['other lane', 'second', 'third'])
  expect(turns.isTaken('a')).toBe(false)
})

it('work that fails passes the turn on', async () => {
  const turns = createTurns()
  const failed = turns.run('a', async () => {
    throw new Error('no')
  })
  const done = turns.run('a', async () => 'done')
  await expect(failed).rejects.toThrow('no')
  expect(await done).toBe('done')
  expect(turns.isTaken('a')).toBe(false)
})
