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
import { KILLS, type Kill } from './victim.ts'

/** One kill: the state of the database just before it, and how long it took until the product was ready again. */
export interface Strike extends Moment {
  kill: Kill
  backAfterMs: number
}

export interface Report {
  counts: Record<string, number | string>
  violations: string[]
}

export async function writeReport(evidence: {
  databaseUrl: string
  sendings: Sending[]
  strikes: Strike[]
  mails: ReceivedMail[]
  requests: ReceivedRequest[]
  settledAfterMs: number
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
      'kills (server / postgres / both / starting)': KILLS.map(
        kill => strikes.filter(strike => strike.kill === kill).length,
      ).join(' / '),
      'routes in flight when killed': sum(strikes.map(strike => strike.leases)),
      'kills during an expansion': strikes.filter(strike => strike.expansions > 0).length,
      'ready again after, median / longest ms': spread(strikes.map(strike => strike.backAfterMs)),
      'intents sent': sendings.length,
      'unanswered and sent again': sendings.filter(sending => sending.unanswered > 0).length,
      'of these stored before the kill': sendings.filter(sending => sending.wasStoredUnanswered).length,
      records: records.length,
      routes: totals.routes,
      'inbox rows': totals.inbox_rows,
      mails: arrivals.mails,
      'http messages': arrivals.requests,
      'repeats under the same id': arrivals.repeats,
      'attempts lost with their worker': totals.lost_attempts,
      'attempts failed and tried again': totals.failed_attempts,
      'settled after the last kill, ms': evidence.settledAfterMs,
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

function spread(numbers: number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  return `${sorted[Math.floor(sorted.length / 2)]} / ${sorted.at(-1)}`
}
