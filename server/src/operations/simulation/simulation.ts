/**
 * Simulates what would happen to an intent: it is accepted, expanded and passed through the gates by the same code as in
 * delivery, in a transaction that is rolled back. Only the provider is not called.
 */
import type { SimulatedRoute, Simulation } from '@carillon/contract'
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import { acceptInTransaction } from '../../intake/intents/accept.ts'
import type { CheckedIntent } from '../../intake/intents/intent.ts'
import { expandFirstPeople } from '../../planning/expansions/expander.ts'
import type { Client } from '../../platform/database/pool.ts'
import { candidatesOf, passAllGates, rolledBack, type SimulationParts, sendAll } from './passage.ts'
import type { GatedRoute } from './simulate-route.ts'

/** Enough to see what would happen, few enough to answer at once. */
export const MAX_PEOPLE = 100

export async function simulateIntent(parts: SimulationParts, intent: CheckedIntent): Promise<Simulation> {
  const { tenant_id } = intent
  // Before the transaction: asking the pool for a second connection while holding one could deadlock.
  const candidates = await candidatesOf(parts, tenant_id)
  const accepted = await rolledBack(parts.pool, tx =>
    acceptAndPassGates(tx, intent, parts.visibility(tx).ask),
  )
  if (accepted.duplicate_of !== null) return duplicateOf(accepted.duplicate_of)
  const people = await sendAll(parts, candidates, accepted.routes)
  return { ...toSimulation(people, accepted.isComplete), ...accepted.warned }
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
  const routes = await passAllGates(tx, tenant_id, [notification_id], askVisibility)
  return { duplicate_of: null, routes, isComplete, warned }
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
