/**
 * Paces work whose cost grows with the number of tenants, so that it takes only a small part of the time: the longer it
 * took, the longer the pause after it.
 */
import { performance } from 'node:perf_hooks'

export interface Pace {
  /** Does the work, or answers undefined while it is too early; then `onDue` is called when it is time. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
}

/** The pause is this many times as long as the work, */
const PAUSE_FACTOR = 10
/** but no longer than this: on a busy machine the work takes long because others work, and somebody waits for it. */
const MAX_PAUSE_MS = 250

export function createPace(onDue: () => void, nowMs: () => number = () => performance.now()): Pace {
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let isScheduled = false

  function callOnDue(): void {
    isScheduled = false
    onDue()
  }

  return {
    async run(work) {
      const startMs = nowMs()
      if (startMs < notBeforeMs) {
        if (!isScheduled) setTimeout(callOnDue, notBeforeMs - startMs).unref()
        isScheduled = true
        return undefined
      }
      try {
        return await work()
      } finally {
        const pauseMs = Math.min((nowMs() - startMs) * PAUSE_FACTOR, MAX_PAUSE_MS)
        notBeforeMs = nowMs() + pauseMs
      }
    },
  }
}
