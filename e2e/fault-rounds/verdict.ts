/** What came of a round: everything that was lost, is stuck, or arrived twice under different ids. */
import { type Arrivals, compareArrivals } from '../kill-rounds/arrivals.ts'
import {
  ask,
  countOne,
  LEFTOVERS,
  type Leftovers,
  OUTGOING,
  RECORDS,
  type RouteKey,
  type StoredRecord,
  UNSENT,
} from '../kill-rounds/database.ts'
import type { Sending } from '../kill-rounds/producer.ts'
import { compareEvents, type EventArrivals } from './event-arrivals.ts'
import { OUTBOX_LEFT, SENT, SENT_TWICE } from './results.ts'
import type { Stage } from './stage.ts'

export interface Verdict {
  /** Acknowledged, and not there or not arrived. */
  lost: string[]
  /** Neither done nor given up, or given up although nothing was wrong with it. */
  stuck: string[]
  /** Arrived or stored more than once, and not recognisable as the same. */
  duplicated: string[]
  /** Answered as if the caller were at fault, and whatever else does not add up. */
  wrong: string[]
  /** Copies under the same id, which are allowed. */
  repeats: number
}

export async function judge(stage: Stage): Promise<Verdict> {
  const url = stage.resultsUrl()
  const records = await ask<StoredRecord>(url, RECORDS)
  const leftovers = await countOne<Leftovers>(url, LEFTOVERS)
  const unsent = await ask<object>(url, UNSENT)
  const outbox = await countOne<{ rows: number }>(url, OUTBOX_LEFT)
  const [outgoing, sent] = [await ask<RouteKey>(url, OUTGOING), await ask<RouteKey>(url, SENT)]
  const taken = stage.http.requests.filter(request => !stage.refused.has(request))
  const arrivals = compareArrivals(outgoing, stage.smtp.mails, taken)
  const events = compareEvents(sent, stage.events.requests)
  const twice = await countOne<{ routes: number }>(url, SENT_TWICE)
  const { sendings } = stage.producer
  return {
    lost: [
      ...lostSendings(sendings, records),
      ...arrivals.lost,
      // While some wait in the outbox, they are stuck and not lost.
      ...(outbox.rows === 0 ? events.lost : []),
      ...named(leftovers, LOST),
    ],
    stuck: [
      ...unsent.map(group => `not sent: ${JSON.stringify(group)}`),
      ...(outbox.rows === 0 ? [] : [`not dispatched: ${JSON.stringify(outbox)}`]),
      ...named(leftovers, STUCK),
    ],
    duplicated: [
      ...duplicatedSendings(sendings, records),
      ...arrivals.duplicated,
      ...events.duplicated,
      ...named(leftovers, DUPLICATED),
      ...(twice.routes === 0 ? [] : [`sent twice: ${twice.routes}`]),
    ],
    wrong: [...refusedSendings(sendings), ...named(leftovers, WRONG)],
    repeats: repeatsOf(arrivals, events),
  }
}

const LOST: (keyof Leftovers)[] = ['routes_without_inbox_row']
const STUCK: (keyof Leftovers)[] = ['leases', 'expansions', 'dead_letters']
const DUPLICATED: (keyof Leftovers)[] = ['inbox_rows_without_route']
const WRONG: (keyof Leftovers)[] = ['unexplained_claims', 'malformed_intents']

function named(leftovers: Leftovers, names: (keyof Leftovers)[]): string[] {
  return names.flatMap(name => (leftovers[name] === 0 ? [] : [`${name}: ${leftovers[name]}`]))
}

function lostSendings(sendings: Sending[], records: StoredRecord[]): string[] {
  const byKey = new Map(records.map(record => [record.idempotency_key, record]))
  return sendings.flatMap(({ plan, ids }) => {
    const record = byKey.get(plan.key)
    if (record === undefined) return ids.size === 0 ? [] : [`${plan.key} was acknowledged but has no record`]
    const channels = Object.keys({ ...plan.routes, ...record.routes }) as (keyof typeof plan.routes)[]
    if (channels.every(channel => plan.routes[channel] === record.routes[channel])) return []
    return [`${plan.key} has the routes ${JSON.stringify(record.routes)}, not ${JSON.stringify(plan.routes)}`]
  })
}

function duplicatedSendings(sendings: Sending[], records: StoredRecord[]): string[] {
  const known = new Map(sendings.map(({ plan, ids }) => [plan.key, ids]))
  const seen = new Set<string>()
  return records.flatMap(({ idempotency_key: key, notification_id }) => {
    const ids = known.get(key)
    if (ids === undefined) return [`a record nobody sent: ${key}`]
    if (seen.has(key)) return [`${key} has two records`]
    seen.add(key)
    const isAlone = [...ids].every(id => id === notification_id)
    return isAlone ? [] : [`${key} was answered with ${[...ids].join(' and ')}, not ${notification_id}`]
  })
}

/** With every answer that came before, since the last one alone seldom explains it. */
function refusedSendings(sendings: Sending[]): string[] {
  return sendings.flatMap(({ plan, refusal, answers }) =>
    refusal === undefined ? [] : [`${plan.key} was refused: ${refusal} (${answers.join(' | ')})`],
  )
}

function repeatsOf(arrivals: Arrivals, events: EventArrivals): number {
  return arrivals.repeats + events.repeats
}
