/** A restored instance: what it has, that it sends nothing by itself, and that it finishes what it is told to. */
import { waitFor } from '../../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon, type Settings } from '../carillon-process.ts'
import { compareArrivals } from '../kill-rounds/arrivals.ts'
import {
  ask,
  countOne,
  LEFTOVERS,
  type Leftovers,
  OPEN_WORK,
  OUTGOING,
  RECORDS,
  type RouteKey,
  type StoredRecord,
  SUSPICIONS,
} from '../kill-rounds/database.ts'
import { findViolations } from '../kill-rounds/verdict.ts'
import { untilPassed } from '../kill-rounds/victim.ts'
import type { History } from './history.ts'
import { runCommand } from './run-command.ts'
import { compareWithMoment, type Found } from './what-is-there.ts'

export type Decision = 'release' | 'discard'

export interface Restored {
  history: History
  settings: Settings
  databaseUrl: () => string
  /** Everything up to this moment was restored, and nothing after it. */
  at: number
  decision: Decision
}

const SETTLE_MS = 180_000
/** It rests for twenty times as long as it looks, so a busy machine makes it slow. */
const RECONCILED_MS = 400_000
/** Without the hold, everything due would have been sent by then. */
const HELD_MS = 2_000

export async function examineRestored(restored: Restored): Promise<Found> {
  const server = runCarillon(['start'], restored.settings)
  try {
    await server.ready(`http://127.0.0.1:${restored.settings.PORT}`)
    return await examine(restored, server)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${server.stderr.slice(-4_000)}`, { cause: error })
  } finally {
    if (server.ended === undefined) await server.end('SIGKILL')
  }
}

async function examine(restored: Restored, server: CarillonProcess): Promise<Found> {
  const { history, settings, at, decision } = restored
  const url = restored.databaseUrl()
  const before = sizeOf(history)
  const { counts, violations } = compareWithMoment(
    history.sendings,
    await ask<StoredRecord>(url, RECORDS),
    at,
  )
  await untilPassed(HELD_MS)
  if (sizeOf(history) !== before) violations.push('it sent something before anybody decided')
  const { work } = await runCommand<{ work: { routes: Record<string, number> } }>(
    ['restore', decision],
    settings,
  )
  await settle(url)
  violations.push(...(await (decision === 'release' ? afterRelease : afterDiscard)(restored)))
  await untilLookedThrough(url)
  const suspicions = await ask<{ invariant: string; item: string }>(url, SUSPICIONS)
  violations.push(...suspicions.map(({ invariant, item }) => `the reconciler says ${invariant} of ${item}`))
  const { code } = await server.end('SIGTERM')
  if (code !== 0) violations.push(`the restored instance ended with ${code}`)
  const held = Object.values(work.routes).reduce((sum, count) => sum + count, 0)
  return { counts: { restores: 1, ...counts, 'messages held back': held }, violations }
}

/** As in the rounds of kills: everything that is known is sent, once or under the same id. */
async function afterRelease({ history, databaseUrl }: Restored): Promise<string[]> {
  const url = databaseUrl()
  const records = await ask<StoredRecord>(url, RECORDS)
  const keys = new Set(records.map(record => record.idempotency_key))
  return findViolations(
    history.sendings.filter(({ plan }) => keys.has(plan.key)),
    records,
    await countOne<Leftovers>(url, LEFTOVERS),
    await arrivalsOf(history, url),
  )
}

/** What was due has ended, and says why; what the database knows as sent has arrived. */
async function afterDiscard({ history, databaseUrl }: Restored): Promise<string[]> {
  const url = databaseUrl()
  const { open, unexplained } = await countOne<{ open: number; unexplained: number }>(url, DISCARDED)
  const { lost, duplicated } = await arrivalsOf(history, url)
  return [
    ...(open === 0 ? [] : [`still open: ${open}`]),
    ...(unexplained === 0 ? [] : [`neither sent nor cancelled by the restore: ${unexplained}`]),
    ...lost,
    ...duplicated,
  ]
}

const DISCARDED = `
  select count(*) filter (where next_attempt_at is not null)::integer as open,
    count(*) filter (where status <> 'sent' and (status, reason) <> ('cancelled', 'restored'))::integer as unexplained
  from routes`

async function arrivalsOf(history: History, url: string) {
  const { mails, requests } = history.arrived()
  return compareArrivals(await ask<RouteKey>(url, OUTGOING), mails, requests, { haveStrangers: true })
}

function sizeOf(history: History): number {
  const { mails, requests } = history.arrived()
  return mails.length + requests.length
}

async function settle(url: string): Promise<void> {
  const isSettled = async () => (await countOne<{ open: number }>(url, OPEN_WORK)).open === 0
  await waitFor(isSettled, { what: 'the restored instance to finish', deadlineMs: SETTLE_MS, everyMs: 100 })
}

/** Until the reconciler has been through every table once more. */
async function untilLookedThrough(url: string): Promise<void> {
  const { now } = await countOne<{ now: string }>(url, 'select clock_timestamp()::text as now')
  const isThrough = async () =>
    (
      await countOne<{ through: boolean }>(
        url,
        `select count(*) > 0 and coalesce(bool_and(finished_at > '${now}'), false) as through from invariant_walks`,
      )
    ).through
  await waitFor(isThrough, { what: 'the reconciler', deadlineMs: RECONCILED_MS, everyMs: 100 })
}
