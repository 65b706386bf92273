/** Processor time that a run has used: of executing only, not of waiting for the host. */
import { readFileSync } from 'node:fs'

export interface CpuClock {
  /** Counts the time that the work takes. */
  count<T>(work: () => T): T
  /** Whether the limit is exceeded. Called often while work is being done. */
  isOver(): boolean
  usedMs(): number
}

/** Until the next tick, Linux does not know how long the running thread has been running. */
const TICK_MS = 4

export function createCpuClock(limitMs: number): CpuClock {
  const threadStartMs = threadCpuMs()
  let countedMs = 0
  let enteredMs: number | undefined
  let isOver = false
  /** Execution can use less than the time that passes, never more. */
  let askThreadAtMs = limitMs

  function elapsedMs(): number {
    return countedMs + (enteredMs === undefined ? 0 : performance.now() - enteredMs)
  }

  /** On a busy machine the thread is often not running; that must not fail a good script. */
  function usedMs(): number {
    if (threadStartMs === undefined) return elapsedMs()
    return Math.min(elapsedMs(), (threadCpuMs() ?? 0) - threadStartMs + TICK_MS)
  }

  return {
    count(work) {
      enteredMs = performance.now()
      try {
        return work()
      } finally {
        countedMs = elapsedMs()
        enteredMs = undefined
      }
    },
    isOver() {
      if (isOver || elapsedMs() <= askThreadAtMs) return isOver
      const used = usedMs()
      isOver = used > limitMs
      askThreadAtMs = elapsedMs() + Math.max(1, limitMs - used)
      return isOver
    },
    usedMs,
  }
}

/** Of this thread; undefined where nobody knows. */
function threadCpuMs(): number | undefined {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => { user: number; system: number } }
  if (threadCpuUsage !== undefined) {
    const { user, system } = threadCpuUsage()
    return (user + system) / 1000
  }
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return undefined
  }
}
