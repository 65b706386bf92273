import { expect, it, onTestFinished, vi } from 'vitest'
import { startDeadline } from './deadline.ts'

const never = new Promise<never>(() => {})

it('work that settles in time is what comes out', async () => {
  const deadline = startDeadline(new AbortController().signal, 10_000)
  await expect(deadline.race(Promise.resolve('done'))).resolves.toBe('done')
  await expect(deadline.race(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  deadline.clear()
})

it('ends when its time is over', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const deadline = startDeadline(new AbortController().signal, 500)
  const outcome = expect(deadline.race(never)).rejects.toThrow('no answer within 500 ms')
  vi.advanceTimersByTime(500)
  await outcome
  expect(deadline.signal.aborted).toBe(true)
})

it('ends when the caller aborts, before or after the start', async () => {
  const controller = new AbortController()
  const deadline = startDeadline(controller.signal)
  const outcome = expect(deadline.race(never)).rejects.toThrow('the attempt was aborted')
  controller.abort()
  await outcome
  await expect(startDeadline(controller.signal).race(never)).rejects.toThrow('the attempt was aborted')
})

it('never ends once cleared', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const controller = new AbortController()
  const deadline = startDeadline(controller.signal, 500)
  deadline.clear()
  controller.abort()
  vi.advanceTimersByTime(500)
  expect(deadline.signal.aborted).toBe(false)
  expect(vi.getTimerCount()).toBe(0)
})

it('a signal shared by a whole batch draws no warning of a leak', async () => {
  const warned = vi.spyOn(process, 'emitWarning')
  onTestFinished(() => warned.mockRestore())
  const { signal } = new AbortController()
  const batch = Array.from({ length: 100 }, () => startDeadline(signal))
  for (const deadline of batch) deadline.clear()
  expect(warned).not.toHaveBeenCalled()
})
