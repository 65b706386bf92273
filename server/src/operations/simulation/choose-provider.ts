/**
 * Which provider a simulated message would go through, or what it would wait for. Decides in the same order as
 * `sendThrough()`, but only looks: no probe is taken, no rate used up.
 */
import type { Message } from '../../content/messages/message.ts'
import type { Candidate } from '../../delivery/attempts/candidate.ts'
import { canReach, noneAdmits, rateUsedUp } from '../../delivery/attempts/send.ts'

export type Choice =
  | { kind: 'candidate'; candidate: Candidate }
  | ReturnType<typeof noneAdmits | typeof rateUsedUp>

/** The rates as they would be after the messages simulated so far. */
export interface SimulatedRates {
  /** Answers how long the message would have to wait; 0: not at all. */
  take(candidate: Candidate): Promise<number>
}

export function createSimulatedRates(): SimulatedRates {
  const rates = new Map<Candidate, Promise<{ left: number; wait_ms: number }>>()
  return {
    async take(candidate) {
      if (candidate.rateLeft === undefined) return 0
      const asked = rates.get(candidate) ?? candidate.rateLeft()
      rates.set(candidate, asked)
      const rate = await asked
      if (rate.left === 0) return rate.wait_ms
      rate.left--
      return 0
    },
  }
}

/** `aheadMs` is how far in the future the message would be sent: breakers and rates that recover by then do not matter. */
export async function chooseProvider(
  candidates: Candidate[],
  message: Message,
  aheadMs: number,
  rates: SimulatedRates,
): Promise<Choice> {
  let shortestWaitMs: number | undefined
  let unavailable: string | undefined
  for (const candidate of candidates.filter(each => canReach(each, message))) {
    // If another process has the provider's settings, the route does not wait: that process delivers it.
    if (candidate.unavailable?.elsewhere === false) {
      unavailable ??= candidate.unavailable.text
      continue
    }
    const breakerWaitMs = (candidate.breaker?.waitMs() ?? 0) - aheadMs
    if (breakerWaitMs > 0) {
      shortestWaitMs = Math.min(shortestWaitMs ?? breakerWaitMs, breakerWaitMs)
      continue
    }
    const rateWaitMs = aheadMs < 60_000 ? (await rates.take(candidate)) - aheadMs : 0
    if (rateWaitMs > 0) return rateUsedUp(candidate, rateWaitMs)
    return { kind: 'candidate', candidate }
  }
  return noneAdmits({ shortestWaitMs, unavailable })
}
