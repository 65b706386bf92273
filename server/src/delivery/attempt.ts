/** One attempt: gates, render, provider, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { Outcome, Provider } from '../providers/provider.ts'
import type { ClaimedRoute } from './claim.ts'
import type { Completion } from './complete.ts'
import { type Attempted, decideLost, decideOutcome, decideVerdict } from './decide.ts'
import { passGates } from './gates.ts'
import { renderMessage } from './render.ts'

export interface AttemptOptions {
  providerFor: (channel: Channel) => Provider
  signal: AbortSignal
  random: () => number
}

export async function attemptDelivery(route: ClaimedRoute, options: AttemptOptions): Promise<Completion> {
  const startedAt = new Date()
  const start = performance.now()
  const attempted = (provider: string): Attempted => ({
    provider,
    startedAt,
    durationMs: performance.now() - start,
    random: options.random(),
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, attempted(''))
  const verdict = passGates(route)
  if (verdict.kind !== 'pass') return decideVerdict(route, verdict, attempted(''))
  const provider = options.providerFor(route.channel)
  const outcome = await send(route, provider, options.signal)
  return decideOutcome(route, outcome, attempted(provider.name))
}

async function send(route: ClaimedRoute, provider: Provider, signal: AbortSignal): Promise<Outcome> {
  let message: ReturnType<typeof renderMessage>
  try {
    message = renderMessage(route)
  } catch (error) {
    return { kind: 'permanent', message: `The message cannot be rendered: ${(error as Error).message}` }
  }
  try {
    return await provider.send(message, signal)
  } catch (error) {
    // A provider that throws is broken, but the route must not be: it is tried again within its budget.
    return { kind: 'retry', message: `The provider failed unexpectedly: ${(error as Error).message}` }
  }
}
