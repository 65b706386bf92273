/**
 * Simulates what would come of an event: it is written, put at the end of the log and fanned out by the same code as always,
 * and its routes pass the gates, in a transaction that is rolled back. Only providers are not called. Events that are
 * still on their way when it is asked are left out of account.
 */
import type { AppliedRule, EventSimulation, SimulatedRoute } from '@carillon/contract'
import { appendInTransaction } from '../../events/domain-events/append.ts'
import type { CheckedEvent } from '../../events/domain-events/event.ts'
import { placeForSimulation } from '../../events/domain-events/simulated-place.ts'
import {
  decisionsAbout,
  fanOutForSimulation,
  type PersonRow,
  rulesFor,
  scopeOf,
} from '../../events/fanout/decisions.ts'
import { personText } from '../../events/fanout/words.ts'
import { rowsOfEvent } from '../../inbox/notifications/event-rows.ts'
import type { Visibility } from '../../inbox/visibility/visibility.ts'
import { Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { plural } from '../records/decision.ts'
import { listRecordsOfEvent } from '../records/records.ts'
import { candidatesOf, passAllGates, rolledBack, type SimulationParts, sendAll } from './passage.ts'
import type { GatedRoute } from './simulate-route.ts'
import { MAX_PEOPLE } from './simulation.ts'

export async function simulateEvent(parts: SimulationParts, event: CheckedEvent): Promise<EventSimulation> {
  const { tenant_id } = event
  // Before the transactions: asking the pool for a second connection while holding one could deadlock.
  const candidates = await candidatesOf(parts, tenant_id)
  const visibility = parts.visibility(parts.pool)
  const isAsked = await visibility.isAsked(tenant_id)
  const visible = isAsked ? await askWhoMaySee(parts.pool, visibility, event) : null
  const told = await rolledBack(parts.pool, tx => tell(tx, event, visible))
  if (told.duplicate_of !== null) return duplicateOf(told)
  const routes = new Map<string, SimulatedRoute[]>()
  for (const { recipient_ref, route } of await sendAll(parts, candidates, told.routes))
    routes.set(recipient_ref, [...(routes.get(recipient_ref) ?? []), route])
  const people = told.people.map(person => ({
    ...person,
    routes: routes.get(`user:${person.user_id}`) ?? [],
  }))
  const { duplicate_of, rules, isComplete } = told
  return { duplicate_of, summary: summaryOf(told), rules, people, is_complete: isComplete }
}

/** A transaction of its own, since nothing may be locked while somebody else is asked. */
async function askWhoMaySee(pool: Pool, visibility: Visibility, event: CheckedEvent): Promise<string[]> {
  const { tenant_id, thread } = event
  const { event_id, topic, people } = await rolledBack(pool, async tx => {
    const appended = await appendInTransaction(tx, event)
    if (appended.duplicate) return { ...appended, topic: null, people: [] }
    await placeForSimulation(tx, tenant_id, appended.event_id)
    const scope = await scopeOf(tx, tenant_id, appended.event_id)
    return { ...appended, ...scope, people: await firstPeople(tx, tenant_id, appended.event_id) }
  })
  const question = { topic, thread: thread && { kind: thread.kind, id: thread.id }, event_id }
  const user_ids = people.map(({ user_id }) => user_id)
  try {
    return await visibility.ask(tenant_id, { ...question, user_ids })
  } catch (error) {
    const { message } = error as Error
    throw new Refusal(
      'unavailable',
      `Nobody would be told yet: who may see it could not be asked. ${message}`,
    )
  }
}

/** One more than are shown tells whether there are more. */
const firstPeople = (tx: Client, tenantId: string, eventId: string, visible: string[] | null = null) =>
  decisionsAbout(tx, tenantId, eventId, { after: '', most: MAX_PEOPLE + 1, visible })

/** The gates ask about the same people in the same moment: they get the same answer. */
const answerFrom =
  (visible: string[] | null): Visibility['ask'] =>
  async (_tenantId, { user_ids }) =>
    user_ids.filter(id => visible?.includes(id) ?? true)

interface Told {
  duplicate_of: string | null
  rules: AppliedRule[]
  people: Omit<EventSimulation['people'][number], 'routes'>[]
  routes: GatedRoute[]
  isComplete: boolean
}

async function tell(tx: Client, event: CheckedEvent, visible: string[] | null): Promise<Told> {
  const { tenant_id } = event
  const { event_id, duplicate } = await appendInTransaction(tx, event)
  const rules = await rulesFor(tx, tenant_id, event.kind)
  if (duplicate) return { duplicate_of: event_id, rules, people: [], routes: [], isComplete: true }
  const id = await placeForSimulation(tx, tenant_id, event_id)
  const scope = await scopeOf(tx, tenant_id, event_id)
  const found = await firstPeople(tx, tenant_id, event_id, visible)
  const shown = found.slice(0, MAX_PEOPLE)
  const isComplete = found.length <= MAX_PEOPLE
  const until = isComplete ? null : shown.at(-1)!.user_id
  await fanOutForSimulation(tx, tenant_id, event_id, { most: MAX_PEOPLE + 1, until, visible })
  const place = { id, thread_kind: event.thread?.kind ?? null, thread_id: event.thread?.id ?? null }
  const userIds = shown.map(({ user_id }) => user_id)
  const rows = new Map((await rowsOfEvent(tx, tenant_id, place, userIds)).map(row => [row.user_id, row]))
  const records = await listRecordsOfEvent(tx, tenant_id, event_id)
  const ids = records.map(({ notification_id }) => notification_id)
  const routes = await passAllGates(tx, tenant_id, ids, answerFrom(visible))
  const toPerson = (row: PersonRow) => {
    const rule = rules.find(({ relation }) => relation === row.relation)
    const count = rows.get(row.user_id)?.event_count ?? 0
    return {
      ...{ user_id: row.user_id, relations: row.relations, outcome: row.outcome },
      ...{ relation: rule?.relation ?? null, reason: rule?.reason ?? null },
      text: personText(row, { ...place, kind: event.kind, actor_id: event.actor_id }, scope, rule),
      inbox: count === 0 ? ('none' as const) : count === 1 ? ('new' as const) : ('updated' as const),
    }
  }
  return { duplicate_of: null, rules, people: shown.map(toPerson), routes, isComplete }
}

function duplicateOf({ duplicate_of, rules }: Told): EventSimulation {
  const summary = `Nothing new: accepted before as ${duplicate_of}, with the same key and content.`
  return { duplicate_of, summary, rules, people: [], is_complete: true }
}

function summaryOf({ rules, people, isComplete }: Told): string {
  if (rules.length === 0) return 'Nobody would be told: no rule is for this kind of events.'
  if (people.length === 0) return 'Nobody would be told: nobody stands in a relation to the event.'
  const counts = new Map<string, number>()
  for (const { outcome } of people) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`)
  return `${isComplete ? plural(people.length, 'person').replace('persons', 'people') : `The first ${people.length} people`}: ${parts.join(', ')}.`
}
