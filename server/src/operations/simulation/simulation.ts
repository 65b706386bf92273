/**
 * Simulates what would happen to an intent: it is accepted, expanded and passed through the gates by the same code as in
 * delivery, in a transaction that is rolled back. Only the provider is not called.
 */
import { CHANNELS, type Channel, type SimulatedRoute, type Simulation } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { Candidate } from '../../delivery/attempts/candidate.ts'
import { createOptionsLoader } from '../../delivery/attempts/send-options.ts'
import { createGates } from '../../delivery/gates/gates.ts'
import { claimForSimulation, type RouteToSimulate } from '../../delivery/routes/claim-for-simulation.ts'
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import { acceptInTransaction } from '../../intake/intents/accept.ts'
import type { CheckedIntent } from '../../intake/intents/intent.ts'
import { expandFirstPeople } from '../../planning/expansions/expander.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import { type Client, type Pool, transactionThenRollback } from '../../platform/database/pool.ts'
import { createSimulatedRates } from './choose-provider.ts'
import { type GatedRoute, simulateGates, simulateSending } from './simulate-route.ts'

export interface SimulationParts extends Omit<RenderParts, 'completeOptions'> {
  pool: Pool
  /** Asks the tenant's own server, through the connection that the simulation has. */
  visibility: (db: Client) => Visibility
  directory: { peekCandidates(tenantId: string, channel: Channel): Promise<Candidate[]> }
}

/** Enough to see what would happen, few enough to answer at once. */
const MAX_PEOPLE = 100
const OWNER = 'simulation'

export async function simulateIntent(parts: SimulationParts, intent: CheckedIntent): Promise<Simulation> {
  const { tenant_id } = intent
  // Before the transaction: asking the pool for a second connection while holding one could deadlock.
  const candidates = await candidatesOf(parts, tenant_id)
  const accepted = await rolledBack(parts.pool, tx =>
    acceptAndPassGates(tx, intent, parts.visibility(tx).ask),
  )
  if (accepted.duplicate_of !== null) return duplicateOf(accepted.duplicate_of)
  const { fillTemplate, layOut, links } = parts
  const rates = createSimulatedRates()
  const loader = createOptionsLoader(parts.pool)
  const people = await Promise.all(
    accepted.routes.map(async gated => ({
      recipient_ref: gated.route.recipient_ref,
      route: await simulateSending(gated, {
        fillTemplate,
        layOut,
        links,
        completeOptions: route => loader.preview(route),
        candidates: candidates.get(gated.route.channel) ?? [],
        rates,
      }),
    })),
  )
  return { ...toSimulation(people, accepted.isComplete), ...accepted.warned }
}

const MAX_TRIES = 5

/**
 * Several statements lock what delivery locks with one each, so that simulations may deadlock with each other and with
 * workers. Nothing is lost by starting over.
 */
async function rolledBack<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transactionThenRollback(pool, work)
    } catch (error) {
      if (tries === MAX_TRIES || !isDatabaseError(error, 'deadlock_detected')) throw error
    }
  }
}

interface AcceptedForSimulation {
  duplicate_of: string | null
  routes: GatedRoute[]
  isComplete: boolean
  warned: Pick<Simulation, 'warnings'>
}

async function acceptAndPassGates(
  tx: Client,
  intent: CheckedIntent,
  askVisibility: Visibility['ask'],
): Promise<AcceptedForSimulation> {
  const { tenant_id } = intent
  const { notification_id, duplicate, status: _, ...warned } = await acceptInTransaction(tx, intent)
  if (duplicate) return { duplicate_of: notification_id, routes: [], isComplete: true, warned }
  const isComplete = await expandFirstPeople(tx, tenant_id, notification_id, MAX_PEOPLE)
  const routes = await claimForSimulation(tx, tenant_id, notification_id, OWNER)
  const gates = createGates(tx, OWNER, askVisibility)
  // Everybody at once, so that each gate asks the database with one statement.
  const gated = await Promise.all(byRecipient(routes).map(theirs => simulateGates(theirs, gates)))
  return { duplicate_of: null, routes: gated.flat(), isComplete, warned }
}

function byRecipient(routes: RouteToSimulate[]): RouteToSimulate[][] {
  const groups = new Map<string, RouteToSimulate[]>()
  for (const route of routes)
    groups.set(route.recipient_ref, [...(groups.get(route.recipient_ref) ?? []), route])
  return [...groups.values()]
}

async function candidatesOf(
  { directory }: SimulationParts,
  tenantId: string,
): Promise<Map<Channel, Candidate[]>> {
  const found = CHANNELS.map(
    async channel => [channel, await directory.peekCandidates(tenantId, channel)] as const,
  )
  return new Map(await Promise.all(found))
}

function duplicateOf(notificationId: string): Simulation {
  const summary = `Nothing new: accepted before as ${notificationId}, with the same key and content.`
  return { duplicate_of: notificationId, summary, people: [], is_complete: true }
}

function toSimulation(
  simulated: { recipient_ref: string; route: SimulatedRoute }[],
  isComplete: boolean,
): Simulation {
  const people = new Map<string, SimulatedRoute[]>()
  const counts = new Map<string, number>()
  for (const { recipient_ref, route } of simulated) {
    people.set(recipient_ref, [...(people.get(recipient_ref) ?? []), route])
    const outcome = route.reason === '' ? route.status : `${route.status} (${route.reason})`
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome}`)
  const shown = isComplete ? '' : ` of the first ${MAX_PEOPLE} people`
  return {
    duplicate_of: null,
    summary: parts.length === 0 ? 'Nobody: the audience is empty.' : `Routes${shown}: ${parts.join(', ')}.`,
    people: [...people].map(([recipient_ref, routes]) => ({ recipient_ref, routes })),
    is_complete: isComplete,
  }
}
