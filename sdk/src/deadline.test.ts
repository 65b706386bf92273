import { expect, test } from 'vitest'
import { sleep, startDeadline } from './deadline.ts'

test('a wait ends at once when the caller aborts, before or during it', async () => {
  const controller = new AbortController()
  const waiting = sleep(3_600_000, controller.signal)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(sleep(3_600_000, controller.signal)).rejects.toThrow('enough')
})

test('a deadline passes on the caller’s reason, and is then not considered timed out', () => {
  const controller = new AbortController()
  const deadline = startDeadline(3_600_000, controller.signal)
  controller.abort('left')
  expect(deadline.signal.reason).toBe('left')
  expect(deadline.hasPassed()).toBe(false)
  deadline.clear()
})

test('a cleared deadline no longer listens to the caller', () => {
  const controller = new AbortController()
  const deadline = startDeadline(3_600_000, controller.signal)
  deadline.clear()
  controller.abort()
  expect(deadline.signal.aborted).toBe(false)
})
