/**
 * Before a message is sent again that may have arrived: what the service reported, or says when asked. A provider with the
 * policy `ask` sends again only what the service certainly does not have.
 */
import type { Message } from '../../content/messages/message.ts'
import type { Inquiry, Outcome } from '../../providers/services/provider.ts'
import type { DoubtfulAttempt, Doubts } from '../routes/doubts.ts'
import { FOUND } from './call-provider.ts'
import type { Candidate } from './candidate.ts'

export interface Answered {
  outcome: Outcome
  /** The name of the provider that it is about. */
  provider: string
}

/** Without a no that can be believed, how soon to ask again at the earliest. */
const ASK_AGAIN_MS = 60_000

/** undefined if it may be sent. */
export async function askFirst(
  candidates: Candidate[],
  message: Message,
  { attempts, wasReported }: Doubts,
  nowMs: number,
  signal: AbortSignal,
): Promise<Answered | undefined> {
  const last = attempts[0]
  if (last === undefined) return undefined
  if (wasReported) {
    const candidate = candidates.find(({ name }) => name === last.provider) ?? candidates[0]
    return candidate && { outcome: REPORTED, provider: candidate.name }
  }
  const usable = candidates.filter(({ unavailable }) => unavailable === undefined)
  // Deleted or switched off. If it only has another policy now, that is what its owner wants.
  const unanswered = attempts.find(
    ({ isAsked, provider }) => isAsked && !usable.some(({ name }) => name === provider),
  )
  // While nobody else could send it, it waits, and can still be asked when it is switched on again.
  if (usable.length > 0 && unanswered !== undefined)
    return { outcome: heldFor(unanswered.provider), provider: unanswered.provider }
  for (const candidate of candidates) {
    const { inquiry } = candidate.provider
    if (candidate.uncertainPolicy !== 'ask' || inquiry === undefined) continue
    // A worker that died may have called any of them.
    const doubts = attempts.filter(({ provider }) => provider === '' || provider === candidate.name)
    const outcome = await ask(inquiry, message, doubts, nowMs, signal)
    if (outcome !== undefined) return { outcome, provider: candidate.name }
  }
  return undefined
}

function heldFor(provider: string): Outcome {
  const message = `"${provider}" was to be asked whether it has the message, and is deleted or switched off; held, as it may have arrived`
  return { kind: 'uncertain', message, hold: true, fault: 'message' }
}

const REPORTED: Outcome = { kind: 'sent', response: 'no answer came, but the service has reported about it' }

async function ask(
  inquiry: Inquiry,
  message: Message,
  doubts: DoubtfulAttempt[],
  nowMs: number,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  if (doubts.length === 0) return undefined
  const since = new Date(Math.min(...doubts.map(({ startedAt }) => startedAt.getTime())))
  const settledMs = Math.max(...doubts.map(({ endedAt }) => endedAt.getTime())) + inquiry.settlesAfterMs
  const wasSent = await inquiry.wasSent(message, since, signal).catch(() => undefined)
  if (wasSent === true) return FOUND
  if (wasSent === false && settledMs <= nowMs) return undefined
  return {
    kind: 'uncertain',
    message: 'An earlier attempt may have arrived, and the service cannot tell yet; nothing was sent.',
    retry_after_ms: Math.max(settledMs - nowMs, ASK_AGAIN_MS),
    // Nothing was sent, so this says nothing about the provider.
    fault: 'message',
  }
}
