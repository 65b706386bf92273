/** Asks what became of something until it is settled: soon at first, then less often, and not for ever. */
import type { PlaygroundOutcome } from '@carillon/sdk'

const FIRST_MS = 120
const LONGEST_MS = 1500
const GIVE_UP_MS = 30_000

export interface Following {
  ask(): Promise<PlaygroundOutcome>
  onOutcome(outcome: PlaygroundOutcome): void
  signal: AbortSignal
}

/** Resolves to whether it is settled. */
export async function follow({ ask, onOutcome, signal }: Following): Promise<boolean> {
  const endsAt = Date.now() + GIVE_UP_MS
  for (let waitMs = FIRST_MS; Date.now() < endsAt; waitMs = Math.min(waitMs * 1.6, LONGEST_MS)) {
    const outcome = await ask()
    if (signal.aborted) return false
    onOutcome(outcome)
    if (outcome.is_settled) return true
    await new Promise(resolve => setTimeout(resolve, waitMs))
    if (signal.aborted) return false
  }
  return false
}
