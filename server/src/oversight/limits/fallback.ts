/** Counts in the first store while it answers, and in the second while it does not. */
import type { LimitStore } from './store.ts'

export interface FallbackOptions {
  first: LimitStore
  second: LimitStore
  now: () => number
  onLost: (error: unknown) => void
  onBack: () => void
  /** How long the first store is not asked after a failure, so that a hanging one does not slow down every request. */
  coolDownMs?: number
}

export function createFallbackStore(options: FallbackOptions): LimitStore {
  const { first, second, now, onLost, onBack, coolDownMs = 1000 } = options
  let isLost = false
  let askAgainAt = Number.NEGATIVE_INFINITY

  async function count<T>(work: (store: LimitStore) => Promise<T>): Promise<T> {
    if (now() < askAgainAt) return work(second)
    let counted: T
    try {
      counted = await work(first)
    } catch (error) {
      askAgainAt = now() + coolDownMs
      if (!isLost) onLost(error)
      isLost = true
      return work(second)
    }
    if (isLost) onBack()
    isLost = false
    return counted
  }

  return {
    countRequests: asks => count(store => store.countRequests(asks)),
    countTry: ask => count(store => store.countTry(ask)),
  }
}
