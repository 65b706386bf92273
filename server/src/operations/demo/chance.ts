/** Chance that can be repeated: the same seed gives the same story. */
export interface Chance {
  /** From 0 up to 1. */
  next(): number
  between(low: number, high: number): number
  is(probability: number): boolean
  pick<T>(list: readonly T[]): T
  some<T>(list: readonly T[], count: number): T[]
}

export function createChance(seed: number): Chance {
  let state = seed >>> 0
  // Mulberry32: good enough for a story, and short.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => Math.floor(low + next() * (high - low + 1))
  const pick = <T>(list: readonly T[]) => list[between(0, list.length - 1)]!
  return {
    next,
    between,
    pick,
    is: probability => next() < probability,
    some(list, count) {
      const left = [...list]
      return Array.from({ length: Math.min(count, left.length) }, () =>
        left.splice(between(0, left.length - 1), 1),
      ).flat()
    },
  }
}
