/** One attempt: gates, render, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { Message } from '../providers/provider.ts'
import type { ClaimedRoute } from './claim.ts'
import type { Completion } from './complete.ts'
import { type Attempted, decideLost, decideOutcome, decideVerdict } from './decide.ts'
import { passGates } from './gates.ts'
import { renderMessage } from './render.ts'
import { type Candidate, sendThrough } from './send.ts'

export interface AttemptOptions {
  /** The providers to ask, best first. */
  candidates: (tenantId: string, channel: Channel) => Promise<Candidate[]>
  signal: AbortSignal
  random: () => number
}

export async function attemptDelivery(route: ClaimedRoute, options: AttemptOptions): Promise<Completion> {
  const startedAt = new Date()
  const start = performance.now()
  const attempted = (more: Partial<Attempted> = {}): Attempted => ({
    provider: '',
    calls: [],
    messageRef: '',
    startedAt,
    durationMs: performance.now() - start,
    random: options.random(),
    ...more,
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, attempted())
  const verdict = passGates(route)
  if (verdict.kind !== 'pass') return decideVerdict(route, verdict, attempted())
  const message = tryToRender(route)
  if (typeof message === 'string') return decideOutcome(route, { kind: 'permanent', message }, attempted())
  try {
    const candidates = wantedFirst(
      await options.candidates(route.tenant_id, route.channel),
      route.wanted_provider,
    )
    const result = await sendThrough(candidates, message, options.signal)
    if (result.kind === 'verdict')
      return decideVerdict(route, result.verdict, attempted({ calls: result.calls }))
    const { outcome, candidate, calls } = result
    const messageRef = candidate.reportsBack && outcome.kind !== 'permanent' ? message.message_id : ''
    return decideOutcome(route, outcome, attempted({ provider: candidate.name, calls, messageRef }))
  } catch (error) {
    // Nobody was asked, so no attempt is used: the database that knows the providers did not answer.
    const text = `No provider could be chosen: ${(error as Error).message}`
    const postponed = { kind: 'postpone', reason: 'no_provider', text, delay_ms: 1000 } as const
    return decideVerdict(route, postponed, attempted())
  }
}

function tryToRender(route: ClaimedRoute): Message | string {
  try {
    return renderMessage(route)
  } catch (error) {
    return `The message cannot be rendered: ${(error as Error).message}`
  }
}

function wantedFirst(candidates: Candidate[], wanted: string | null): Candidate[] {
  if (wanted === null) return candidates
  return [
    ...candidates.filter(({ name }) => name === wanted),
    ...candidates.filter(({ name }) => name !== wanted),
  ]
}
