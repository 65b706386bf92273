/**
 * How many runs of one tenant may be stored at once in this process. Storing needs a connection, also while it waits for
 * somebody else's lock: without this, one tenant whose entries are locked could take all of them.
 */
export interface Places {
  /** Resolves when there is a place for the owner, with what gives it back. */
  take(owner: string): Promise<() => void>
}

export function createPlaces(perOwner: number): Places {
  const owners = new Map<string, { taken: number; waiting: (() => void)[] }>()

  function giveBack(owner: string): void {
    const places = owners.get(owner)!
    const next = places.waiting.shift()
    if (next !== undefined) next()
    else if (--places.taken === 0) owners.delete(owner)
  }

  return {
    async take(owner) {
      const places = owners.get(owner) ?? { taken: 0, waiting: [] }
      owners.set(owner, places)
      if (places.taken < perOwner) places.taken++
      else await new Promise<void>(resolve => places.waiting.push(resolve))
      return () => giveBack(owner)
    },
  }
}
