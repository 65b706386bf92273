/** Lets so many pieces of work run at once; the others wait their turn, first come first served. */
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
        // The place is handed on directly, so nobody can slip in between.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}
