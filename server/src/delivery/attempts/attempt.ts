/** One attempt: gates, a place under the cap, render, providers, decision. Never throws; whatever happens becomes a completion. */
import { performance } from 'node:perf_hooks'
import type { Channel } from '@carillon/contract'
import type { MailLinks } from '../../content/links/mail-links.ts'
import { type AskTemplate, type Wording, wordsOf } from '../../content/messages/digest-words.ts'
import type { Message } from '../../content/messages/message.ts'
import { renderMessage } from '../../content/messages/render.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Completion } from '../routes/complete.ts'
import { askAgain, type ClearanceParts, clearRoute } from './clearance.ts'
import { type Attempted, decideLost, decideOutcome, decideVerdict } from './decide.ts'
import { type Candidate, sendThrough } from './send.ts'

export interface AttemptOptions extends ClearanceParts {
  /** The providers to ask, best first. */
  candidates: (tenantId: string, channel: Channel) => Promise<Candidate[]>
  /** What the route's template makes of the payload; undefined when it has none. */
  words: AskTemplate
  /** The time that decides over quiet hours and local days. */
  now: (route: ClaimedRoute) => Date
  /** Where the person leaves or chooses; null where that makes no sense. */
  links: (route: ClaimedRoute) => MailLinks | null | Promise<MailLinks | null>
  signal: AbortSignal
  random: () => number
}

export async function attemptDelivery(claimed: ClaimedRoute, options: AttemptOptions): Promise<Completion> {
  let route = claimed
  const startedAt = new Date()
  const start = performance.now()
  const attempted = (more: Partial<Attempted> = {}): Attempted => ({
    provider: '',
    calls: [],
    messageRef: '',
    startedAt,
    durationMs: performance.now() - start,
    random: options.random(),
    placeOf: null,
    ...more,
  })

  if (route.attempt_count > route.max_attempts) return decideLost(route, attempted())
  const clearance = await clearRoute(route, options.now(route), options)
  if (clearance.kind === 'held') return decideVerdict(route, clearance.hindrance, attempted())
  const { placeOf, payload_json } = clearance
  route = { ...route, payload_json }
  const rendered = await tryToRender(route, options)
  if (rendered.kind !== 'message')
    return decideOutcome(route, rendered, attempted({ hint: rendered.hint, placeOf }))
  const { message } = rendered
  try {
    const candidates = wantedFirst(
      await options.candidates(route.tenant_id, route.channel),
      route.wanted_provider,
    )
    const result = await sendThrough(candidates, message, options.signal)
    if (result.kind === 'verdict')
      return decideVerdict(route, result.verdict, attempted({ calls: result.calls, placeOf }))
    const { outcome, candidate, calls } = result
    const messageRef = candidate.reportsBack && outcome.kind !== 'permanent' ? message.message_id : ''
    return decideOutcome(route, outcome, attempted({ provider: candidate.name, calls, messageRef, placeOf }))
  } catch (error) {
    const verdict = askAgain('no_provider', `No provider could be chosen: ${(error as Error).message}`)
    return decideVerdict(route, verdict, attempted({ placeOf }))
  }
}

export async function tryToRender(
  route: ClaimedRoute,
  parts: Pick<AttemptOptions, 'words' | 'links'>,
): Promise<{ kind: 'message'; message: Message } | Exclude<Wording, { kind: 'words' }>> {
  try {
    const payload = JSON.parse(route.payload_json) as Record<string, unknown>
    const links = await parts.links(route)
    const wording = await wordsOf(route, payload, links, parts.words)
    if (wording !== undefined && wording.kind !== 'words') return wording
    return { kind: 'message', message: renderMessage(route, payload, links, wording) }
  } catch (error) {
    // What is wrong with a template comes as a value: this is a database that does not answer.
    return { kind: 'retry', message: `The template could not be read: ${(error as Error).message}` }
  }
}

export function wantedFirst(candidates: Candidate[], wanted: string | null): Candidate[] {
  if (wanted === null) return candidates
  return [
    ...candidates.filter(({ name }) => name === wanted),
    ...candidates.filter(({ name }) => name !== wanted),
  ]
}
