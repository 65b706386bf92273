/**
 * Work that never holds the event loop for long: whatever is asked for is done in order, a few milliseconds per turn.
 * Five hundred renders of one claimed batch would otherwise run in one go, before the next request is read.
 */
import { performance } from 'node:perf_hooks'

const TURN_MS = 10

export function createTurns(now: () => number = () => performance.now()): <T>(work: () => T) => Promise<T> {
  const waiting: (() => void)[] = []
  let next = 0
  let isScheduled = false

  function takeTurn(): void {
    const start = now()
    while (next < waiting.length && now() - start < TURN_MS) waiting[next++]!()
    isScheduled = next < waiting.length
    if (isScheduled) setImmediate(takeTurn)
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
      setImmediate(takeTurn)
    })
}
