/**
 * What would become of an intent: accepted, expanded and judged by the very code that would do it, in a transaction
 * that is rolled back. Only the provider is not asked.
 */
import { CHANNELS, type Channel, type SimulatedRoute, type Simulation } from '@carillon/contract'
import type { RenderParts } from '../../content/messages/render-message.ts'
import type { Candidate } from '../../delivery/attempts/send.ts'
import { createGates } from '../../delivery/gates/gates.ts'
import { claimRehearsal } from '../../delivery/routes/rehearse.ts'
import { acceptInside } from '../../intake/intents/accept.ts'
import type { CheckedIntent } from '../../intake/intents/intent.ts'
import { expandBeginning } from '../../planning/expansions/expander.ts'
import { type Client, type Pool, transactionThenRollback } from '../../platform/database/pool.ts'
import { arrive, type Rehearsed, rehearseRoute } from './rehearse.ts'

export interface SimulationParts extends RenderParts {
  pool: Pool
  directory: { candidates(tenantId: string, channel: Channel): Promise<Candidate[]> }
}

/** Enough to see what happens, few enough to answer at once. */
const PEOPLE = 100
const OWNER = 'simulation'

/** `now` is for tests; everybody else uses the database's clock. */
export async function simulateIntent(
  parts: SimulationParts,
  intent: CheckedIntent,
  now?: (userId: string | null) => Date,
): Promise<Simulation> {
  const { tenant_id } = intent
  // Before the transaction: asking for a second connection while holding one could wait for ever.
  const candidates = await candidatesOf(parts, tenant_id)
  const rehearsed = await transactionThenRollback(parts.pool, tx => rehearseIntent(tx, intent, now))
  if (rehearsed.duplicate_of !== null) return duplicateOf(rehearsed.duplicate_of)
  const { fillTemplate, links } = parts
  const people = await Promise.all(
    rehearsed.routes.map(async ({ route, ...more }) => ({
      recipient_ref: route.recipient_ref,
      route: await arrive(
        { route, ...more },
        { fillTemplate, links, candidates: candidates.get(route.channel) ?? [] },
      ),
    })),
  )
  return toSimulation(people, rehearsed.isComplete)
}

async function rehearseIntent(
  tx: Client,
  intent: CheckedIntent,
  now?: (userId: string | null) => Date,
): Promise<{ duplicate_of: string | null; routes: Rehearsed[]; isComplete: boolean }> {
  const { tenant_id } = intent
  const { notification_id, duplicate } = await acceptInside(tx, intent)
  if (duplicate) return { duplicate_of: notification_id, routes: [], isComplete: true }
  const isComplete = await expandBeginning(tx, tenant_id, notification_id, PEOPLE)
  const routes = await claimRehearsal(tx, tenant_id, notification_id, OWNER)
  const gates = createGates(tx, OWNER)
  // All at once, so that what a gate has to ask the database is one statement.
  const rehearsed = await Promise.all(
    routes.map(route => rehearseRoute(route, now?.(route.user_id) ?? route.claimed_at, gates)),
  )
  return { duplicate_of: null, routes: rehearsed, isComplete }
}

async function candidatesOf(
  { directory }: SimulationParts,
  tenantId: string,
): Promise<Map<Channel, Candidate[]>> {
  const found = CHANNELS.map(
    async channel => [channel, await directory.candidates(tenantId, channel)] as const,
  )
  return new Map(await Promise.all(found))
}

function duplicateOf(notificationId: string): Simulation {
  const summary = `Nothing new: accepted before as ${notificationId}, with the same key and content.`
  return { duplicate_of: notificationId, summary, people: [], is_complete: true }
}

function toSimulation(
  rehearsed: { recipient_ref: string; route: SimulatedRoute }[],
  isComplete: boolean,
): Simulation {
  const people = new Map<string, SimulatedRoute[]>()
  const counts = new Map<string, number>()
  for (const { recipient_ref, route } of rehearsed) {
    people.set(recipient_ref, [...(people.get(recipient_ref) ?? []), route])
    const outcome = route.reason === '' ? route.status : `${route.status} (${route.reason})`
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome}`)
  const shown = isComplete ? '' : ` of the first ${PEOPLE} people`
  return {
    duplicate_of: null,
    summary: parts.length === 0 ? 'Nobody: the audience is empty.' : `Routes${shown}: ${parts.join(', ')}.`,
    people: [...people].map(([recipient_ref, routes]) => ({ recipient_ref, routes })),
    is_complete: isComplete,
  }
}
