/** The way of simulated routes, of intents and of events: through the gates, and to the providers that would send them. */
import { CHANNELS, type Channel, type SimulatedRoute } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { Candidate } from '../../delivery/attempts/candidate.ts'
import { createOptionsLoader } from '../../delivery/attempts/send-options.ts'
import { createGates } from '../../delivery/gates/gates.ts'
import { claimForSimulation, type RouteToSimulate } from '../../delivery/routes/claim-for-simulation.ts'
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import {
  type Client,
  type Executor,
  type Pool,
  transactionThenRollback,
} from '../../platform/database/pool.ts'
import { createSimulatedRates } from './choose-provider.ts'
import { type GatedRoute, simulateGates, simulateSending } from './simulate-route.ts'

export interface SimulationParts extends Omit<RenderParts, 'completeOptions'> {
  pool: Pool
  /** Asks the tenant's own server, through the connection that the simulation has. */
  visibility: (db: Executor) => Visibility
  directory: { peekCandidates(tenantId: string, channel: Channel): Promise<Candidate[]> }
}

const OWNER = 'simulation'
const MAX_TRIES = 5

/**
 * Several statements lock what delivery locks with one each, so that simulations may deadlock with each other and with
 * workers. Nothing is lost by starting over.
 */
export async function rolledBack<T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await transactionThenRollback(pool, work)
    } catch (error) {
      if (tries === MAX_TRIES || !isDatabaseError(error, 'deadlock_detected')) throw error
    }
  }
}

/** Passes the routes of these records through the gates, in the transaction that is rolled back. */
export async function passAllGates(
  tx: Client,
  tenantId: string,
  notificationIds: string[],
  askVisibility: Visibility['ask'],
): Promise<GatedRoute[]> {
  const routes: RouteToSimulate[] = []
  for (const id of notificationIds) routes.push(...(await claimForSimulation(tx, tenantId, id, OWNER)))
  const gates = createGates(tx, OWNER, askVisibility)
  // Everybody at once, so that each gate asks the database with one statement.
  const gated = await Promise.all(byRecipient(routes).map(theirs => simulateGates(theirs, gates)))
  return gated.flat()
}

/** After the transaction: what each route would say, and which provider would take it. */
export function sendAll(
  { pool, fillTemplate, layOut, links }: SimulationParts,
  candidates: Map<Channel, Candidate[]>,
  routes: GatedRoute[],
): Promise<{ recipient_ref: string; route: SimulatedRoute }[]> {
  const rates = createSimulatedRates()
  const loader = createOptionsLoader(pool)
  return Promise.all(
    routes.map(async gated => ({
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
}

function byRecipient(routes: RouteToSimulate[]): RouteToSimulate[][] {
  const groups = new Map<string, RouteToSimulate[]>()
  for (const route of routes)
    groups.set(route.recipient_ref, [...(groups.get(route.recipient_ref) ?? []), route])
  return [...groups.values()]
}

export async function candidatesOf(
  { directory }: SimulationParts,
  tenantId: string,
): Promise<Map<Channel, Candidate[]>> {
  const found = CHANNELS.map(
    async channel => [channel, await directory.peekCandidates(tenantId, channel)] as const,
  )
  return new Map(await Promise.all(found))
}
