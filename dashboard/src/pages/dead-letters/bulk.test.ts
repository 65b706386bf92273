import type { Client } from '@carillon/sdk'
import { expect, test, vi } from 'vitest'
import { runBulk } from './bulk.ts'

const lettersWith = (calls: Partial<Client['deadLetters']>) => calls as Client['deadLetters']

const never = () => false

test('goes on in steps while something remains', async () => {
  const replayAll = vi
    .fn()
    .mockResolvedValueOnce({ replayed: 500, remaining: 704 })
    .mockResolvedValueOnce({ replayed: 500, remaining: 204 })
    .mockResolvedValueOnce({ replayed: 204, remaining: 0 })
  const heard: number[] = []
  const ended = await runBulk(
    lettersWith({ replayAll }),
    'replay',
    { filter: {} },
    1204,
    ({ done }) => heard.push(done),
    never,
  )
  expect(ended).toEqual({ total: 1204, done: 1204, refusals: [] })
  expect(heard).toEqual([500, 1000, 1204])
  expect(replayAll.mock.calls.map(([{ limit }]) => limit)).toEqual([500, 500, 204])
})

test('does no more than were counted, however many fail again meanwhile', async () => {
  const replayAll = vi.fn(async ({ limit = 0 }) => ({
    dry_run: false,
    matched: 9,
    replayed: limit,
    remaining: 9,
  }))
  const ended = await runBulk(lettersWith({ replayAll }), 'replay', { filter: {} }, 3, () => {}, never)
  expect(ended.done).toBe(3)
  expect(replayAll).toHaveBeenCalledTimes(1)
})

test('ends when nothing more can be changed', async () => {
  const resolveAll = vi.fn().mockResolvedValue({ resolved: 0, remaining: 4 })
  expect(
    await runBulk(lettersWith({ resolveAll }), 'ignore', { filter: {} }, 4, () => {}, never),
  ).toMatchObject({ done: 0 })
  expect(resolveAll).toHaveBeenCalledTimes(1)
})

test('stops between two steps', async () => {
  const replayAll = vi.fn().mockResolvedValue({ replayed: 500, remaining: 500 })
  let isStopped = false
  const stopAfterFirst = () => {
    isStopped = true
  }
  const ended = await runBulk(
    lettersWith({ replayAll }),
    'replay',
    { filter: {} },
    1000,
    stopAfterFirst,
    () => isStopped,
  )
  expect(ended.done).toBe(500)
})

test('goes on after a letter that is refused, and says why', async () => {
  const refusal = new Error('It was resolved.')
  const replay = vi.fn().mockRejectedValueOnce(refusal).mockResolvedValue({})
  const ended = await runBulk(lettersWith({ replay }), 'replay', { ids: ['a', 'b'] }, 2, () => {}, never)
  expect(ended).toEqual({ total: 2, done: 1, refusals: [refusal] })
})
