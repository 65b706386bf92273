/** Limits how many pieces of work run at once; the others wait their turn, first come, first served. */
export interface ConcurrencyLimit {
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createConcurrencyLimit(limit: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let running = 0

  return {
    async run(work) {
      if (running >= limit) await new Promise<void>(resolve => waiting.push(resolve))
      else running++
      try {
        return await work()
      } finally {
        // The slot goes directly to the next in line, so that nobody can overtake.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
