/** Turns in this process: in each lane one piece of work after the other, in the order in which they asked. */
export interface Turns {
  /** Whether somebody has the turn. */
  isTaken(lane: string): boolean
  /** Resolves when it is the caller's turn, with what ends it. */
  take(lane: string): Promise<() => void>
  /** Does the work when it is its turn. */
  run<T>(lane: string, work: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()

  async function take(lane: string): Promise<() => void> {
    const before = last.get(lane)
    let end = () => {}
    const mine = new Promise<void>(resolve => {
      end = resolve
    })
    last.set(lane, mine)
    await before
    return () => {
      if (last.get(lane) === mine) last.delete(lane)
      end()
    }
  }

  return {
    isTaken: lane => last.has(lane),
    take,
    async run(lane, work) {
      const end = await take(lane)
      try {
        return await work()
      } finally {
        end()
      }
    },
  }
}
