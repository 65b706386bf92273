/**
 * Turns for runs of one trigger in this process. Once two of them got in each other's way, they run one after the other for
 * as long as any waits: all at once, each round would let one of them through and throw away the work of the others.
 */
export interface Turns {
  /** Whether somebody has the turn. */
  isTaken(lane: string): boolean
  /** Resolves when it is the caller's turn, with what ends it. */
  take(lane: string): Promise<() => void>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<void>>()
  return {
    isTaken: lane => last.has(lane),
    async take(lane) {
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
    },
  }
}
