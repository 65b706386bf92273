import { expect, it, vi } from 'vitest'
import { createPace } from './pace.ts'

it('pauses ten times as long as the work took, then says that it is time', async () => {
  vi.useFakeTimers()
  try {
    const clock = { ms: 0 }
    let called = 0
    const pace = createPace(
      () => called++,
      () => clock.ms,
    )
    const work = async () => {
      clock.ms += 20
      return 'done'
    }
    expect(await pace.run(work)).toBe('done')
    clock.ms += 199
    expect(await pace.run(work)).toBeUndefined()
    expect(await pace.run(work)).toBeUndefined()
    vi.advanceTimersByTime(1)
    expect(called).toBe(1)
    clock.ms += 1
    expect(await pace.run(work)).toBe('done')
  } finally {
    vi.useRealTimers()
  }
})

it('pauses no longer than a moment, however long the work took: somebody may be waiting', async () => {
  const clock = { ms: 0 }
  const pace = createPace(
    () => {},
    () => clock.ms,
  )
  const work = async () => {
    clock.ms += 5000
    return 'done'
  }
  await pace.run(work)
  clock.ms += 249
  expect(await pace.run(work)).toBeUndefined()
  clock.ms += 1
  expect(await pace.run(work)).toBe('done')
})

it('pauses also after work that failed', async () => {
  const clock = { ms: 0 }
  const pace = createPace(
    () => {},
    () => clock.ms,
  )
  const failing = pace.run(async () => {
    clock.ms += 5
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await pace.run(async () => 'done')).toBeUndefined()
})
