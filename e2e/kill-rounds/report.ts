/** The result of a run: counts for people, and every violation. */
import type { ReceivedRequest } from '../../server/test/receivers/http-receiver.ts'
import type { ReceivedMail } from '../../server/test/receivers/smtp-receiver.ts'
import { compareArrivals } from './arrivals.ts'
import {
  ask,
  countOne,
  LEFTOVERS,
  type Leftovers,
  type Moment,
  OUTGOING,
  RECORDS,
  type RouteKey,
  type StoredRecord,
  TOTALS,
  type Totals,
  UNSENT,
} from './database.ts'
import type { Sending } from './producer.ts'
import { findViolations } from './verdict.ts'
import type { Kill } from './victim.ts'

/** One kill: the state of the database just before it, and how long it took until the product was ready again. */
export interface Strike extends Moment {
  kill: Kill
  backAfterMs: number
}

export interface Report {
  counts: Record<string, number>
  violations: string[]
}

export async function writeReport(evidence: {
  databaseUrl: string
  sendings: Sending[]
  strikes: Strike[]
  mails: ReceivedMail[]
  requests: ReceivedRequest[]
}): Promise<Report> {
  const { databaseUrl, sendings, strikes } = evidence
  const records = await ask<StoredRecord>(databaseUrl, RECORDS)
  const leftovers = await countOne<Leftovers>(databaseUrl, LEFTOVERS)
  const totals = await countOne<Totals>(databaseUrl, TOTALS)
  const outgoing = await ask<RouteKey>(databaseUrl, OUTGOING)
  const unsent = await ask<object>(databaseUrl, UNSENT)
  const arrivals = compareArrivals(outgoing, evidence.mails, evidence.requests)
  return {
    counts: {
      kills: strikes.length,
      'of them during an expansion': strikes.filter(strike => strike.expansions > 0).length,
      'routes in flight when killed': sum(strikes.map(strike => strike.leases)),
      'attempts lost with their worker': totals.lost_attempts,
      intents: sendings.length,
      'of them sent again': sendings.filter(sending => sending.unanswered > 0).length,
      routes: totals.routes,
      'repeats under the same id': arrivals.repeats,
    },
    violations: [
      ...unsent.map(group => `not sent: ${JSON.stringify(group)}`),
      ...findViolations(sendings, records, leftovers, arrivals),
    ],
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
