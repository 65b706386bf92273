/**
 * Whose turn it is when work of many owners waits for a few slots. Whoever has the least running goes first, then whoever
 * was served longest ago; so an owner alone may use all slots, and nobody holds more than others while they wait.
 *
 * What runs cannot be taken back. So an owner with nothing running gets a slot beyond the limit when all are taken:
 * somebody else's endless scripts must not make it wait.
 */
export interface Turns<Item> {
  /** false: too much of this owner waits already. */
  add(owner: string, item: Item): boolean
  /** No longer waits; false if it did not. */
  remove(owner: string, item: Item): boolean
  /** What may start now; it counts as running until `finish`. */
  take(): { owner: string; item: Item } | undefined
  finish(owner: string): void
  /** Everything that waits leaves. */
  clear(): Item[]
  readonly waiting: number
  readonly running: number
}

/** Running never exceeds the slots by more than this factor. */
const OVERCOMMIT = 4

interface Owner<Item> {
  waiting: Item[]
  running: number
}

export function createTurns<Item>(slots: number, maxWaitingPerOwner: number): Turns<Item> {
  /** In the order in which they were served; those with nothing to do are not in it. */
  const owners = new Map<string, Owner<Item>>()
  let running = 0

  function mayStart(owner: Owner<Item>): boolean {
    if (owner.waiting.length === 0) return false
    return running < slots || (owner.running === 0 && running < slots * OVERCOMMIT)
  }

  function nextInLine(): [string, Owner<Item>] | undefined {
    let next: [string, Owner<Item>] | undefined
    for (const [name, owner] of owners) {
      if (mayStart(owner) && (next === undefined || owner.running < next[1].running)) next = [name, owner]
    }
    return next
  }

  function forgetIfIdle(name: string, owner: Owner<Item>): void {
    if (owner.waiting.length === 0 && owner.running === 0) owners.delete(name)
  }

  return {
    add(name, item) {
      const owner = owners.get(name) ?? { waiting: [], running: 0 }
      if (owner.waiting.length >= maxWaitingPerOwner) return false
      owner.waiting.push(item)
      owners.set(name, owner)
      return true
    },
    remove(name, item) {
      const owner = owners.get(name)
      const place = owner?.waiting.indexOf(item) ?? -1
      if (owner === undefined || place < 0) return false
      owner.waiting.splice(place, 1)
      forgetIfIdle(name, owner)
      return true
    },
    take() {
      const next = nextInLine()
      if (next === undefined) return undefined
      const [name, owner] = next
      owner.running++
      running++
      // A map keeps the order of insertion: who was just served goes to the end.
      owners.delete(name)
      owners.set(name, owner)
      return { owner: name, item: owner.waiting.shift()! }
    },
    finish(name) {
      const owner = owners.get(name)!
      owner.running--
      running--
      forgetIfIdle(name, owner)
    },
    clear() {
      const left = [...owners.values()].flatMap(owner => owner.waiting.splice(0))
      for (const [name, owner] of owners) forgetIfIdle(name, owner)
      return left
    },
    get waiting() {
      return [...owners.values()].reduce((sum, owner) => sum + owner.waiting.length, 0)
    },
    get running() {
      return running
    },
  }
}
