/**
 * Runs synchronous work in order, in slices of a few milliseconds, so that it never blocks the event loop for long. The
 * five hundred renders of a claimed batch would otherwise run in one go, before the next request is read.
 */
import { performance } from 'node:perf_hooks'

const SLICE_MS = 10

export function createTimeSlicer(
  now: () => number = () => performance.now(),
): <T>(work: () => T) => Promise<T> {
  const waiting: (() => void)[] = []
  let next = 0
  let isScheduled = false

  function runSlice(): void {
    const start = now()
    while (next < waiting.length && now() - start < SLICE_MS) waiting[next++]!()
    isScheduled = next < waiting.length
    if (isScheduled) setImmediate(runSlice)
    else {
      waiting.length = 0
      next = 0
    }
  }

  return work =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
      if (isScheduled) return
      isScheduled = true
      setImmediate(runSlice)
    })
}
