/** Time, so that tests can hold it still. */
export interface Clock {
  now(): number
  /** Calls once after that long, unless the function that it gives back is called before. */
  after(ms: number, call: () => void): () => void
}

/** Browsers fire timers that are longer than this at once. */
const LONGEST_MS = 2 ** 31 - 1

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    let timer: ReturnType<typeof setTimeout>
    const wait = (leftMs: number): void => {
      const thisMs = Math.min(leftMs, LONGEST_MS)
      timer = setTimeout(() => (leftMs > thisMs ? wait(leftMs - thisMs) : call()), thisMs)
    }
    wait(Math.max(0, ms))
    return () => clearTimeout(timer)
  },
}
