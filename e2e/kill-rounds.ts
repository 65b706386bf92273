/**
 * The whole product under load, repeatedly killed with kill -9: the server, its PostgreSQL, both, or the server while
 * it starts. In the end nothing that was acknowledged may be lost, duplicated or stuck.
 */
import { createClient } from '@carillon/sdk'
import { freePort } from '../server/test/free-port.ts'
import { startHttpReceiver } from '../server/test/receivers/http-receiver.ts'
import { startSmtpReceiver } from '../server/test/receivers/smtp-receiver.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { makeDataFolder } from './data-folder.ts'
import { failSometimes } from './kill-rounds/arrivals.ts'
import { ask, countOne, MOMENT, type Moment, OPEN_WORK, SUSPICIONS } from './kill-rounds/database.ts'
import { createPlanner, type Planner, type Random, seededRandom } from './kill-rounds/plan.ts'
import { createProducer, type Producer } from './kill-rounds/producer.ts'
import { type Report, type Strike, writeReport } from './kill-rounds/report.ts'
import { prepareTenant } from './kill-rounds/tenant.ts'
import { createVictim, KILLS, untilPassed, type Victim } from './kill-rounds/victim.ts'

export interface KillRoundsOptions {
  rounds: number
  seed: number
  users: number
  perSecond: number
  /** Kill only while routes are being delivered. With many rounds chance sees to that, and kills idle servers too. */
  amidDeliveries?: boolean
  /** Where the data folder is created; by default the system's temporary folder. */
  parentDir?: string
  log: (line: string) => void
}

/** There are four ways to kill, and the seed says which comes first, so each of them eventually hits an expansion. */
const EVERYBODY_EVERY_ROUNDS = 5
/** When nothing has moved for this long, the rest is stuck. */
const STUCK_MS = 90_000
const SETTLE_MS = 180_000

export async function runKillRounds(options: KillRoundsOptions): Promise<Report> {
  const startedAt = Date.now()
  const random = seededRandom(options.seed)
  const folder = makeDataFolder(options.parentDir)
  const smtp = await startSmtpReceiver()
  const http = await startHttpReceiver()
  const refused = failSometimes(http, seededRandom(options.seed + 1))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const victim = createVictim(folder, url, {
    PORT: String(port),
    CARILLON_DATA_DIR: folder.path,
    CARILLON_LOG_LEVEL: 'warn',
    CARILLON_LEASE_SECONDS: '2',
    CARILLON_RECONCILE_SECONDS: '1',
    CARILLON_SMTP_URL: smtp.url,
    CARILLON_PROVIDERS: 'sms=http,webhook=http',
    CARILLON_HTTP_PROVIDER_URL: http.url,
  })
  try {
    await victim.start()
    const client = createClient({ url, apiKey: folder.apiKey() })
    const users = await prepareTenant(client, folder.databaseUrl(), options.users)
    options.log(`ready with ${users.length} users after ${Date.now() - startedAt} ms`)
    const producer = createProducer(url, folder.apiKey())
    const planner = createPlanner(random, users)
    producer.start(planner.next, options.perSecond)
    const strikes = await strikeRepeatedly({
      ...options,
      random,
      planner,
      producer,
      victim,
      databaseUrl: folder.databaseUrl,
    })
    await producer.stop()
    await sendAgain(producer)
    await settle(folder.databaseUrl())
    const report = await writeReport({
      databaseUrl: folder.databaseUrl(),
      sendings: producer.sendings,
      strikes,
      mails: smtp.mails,
      requests: http.requests.filter(request => !refused.has(request)),
    })
    report.violations.push(...(await brokenInvariants(folder.databaseUrl())))
    const code = await victim.stop()
    if (code !== 0) report.violations.push(`the final graceful stop exited with ${code}`)
    return report
  } finally {
    await victim.killIfRunning()
    await Promise.all([smtp.stop(), http.stop(), folder.remove()])
  }
}

async function strikeRepeatedly(run: {
  rounds: number
  seed: number
  random: Random
  planner: Planner
  producer: Producer
  victim: Victim
  amidDeliveries?: boolean
  databaseUrl: () => string
  log: (line: string) => void
}): Promise<Strike[]> {
  const { random, planner, producer, victim } = run
  const strikes: Strike[] = []
  for (let round = 0; round < run.rounds; round++) {
    const kill = KILLS[(run.seed + round) % KILLS.length]!
    const forEverybody = round % EVERYBODY_EVERY_ROUNDS === 0
    if (forEverybody) await producer.send(planner.forEverybody())
    await untilPassed(forEverybody ? random() * 300 : 300 + random() * 1_200)
    const moment = await momentToKill(run)
    await victim.kill(kill)
    const killedAt = Date.now()
    await victim.recover(kill, 200 + random() * 1_000)
    const backAfterMs = Date.now() - killedAt
    strikes.push({ kill, ...moment, backAfterMs })
    const { leases, expansions } = moment
    run.log(
      `round ${round + 1}: killed ${kill} with ${leases} leases and ${expansions} expansions open, back after ${backAfterMs} ms`,
    )
  }
  return strikes
}

async function momentToKill(run: { amidDeliveries?: boolean; databaseUrl: () => string }): Promise<Moment> {
  const now = () => countOne<Moment>(run.databaseUrl(), MOMENT)
  const amidDeliveries = async () => {
    const moment = await now()
    return moment.leases > 0 && moment
  }
  return run.amidDeliveries ? waitFor(amidDeliveries, { what: 'routes in flight' }) : now()
}

/** An acknowledged key must still be known after all the crashes: sending it again must return the first id. */
async function sendAgain(producer: Producer): Promise<void> {
  const every = Math.ceil(producer.sendings.length / 200)
  const some = producer.sendings.filter((_, i) => i % every === 0)
  await Promise.all(some.map(sending => producer.repeat(sending)))
}

/** What the reconciler, which looked through the tables beside all of it, takes for broken. */
async function brokenInvariants(url: string): Promise<string[]> {
  const found = await ask<{ invariant: string; item: string }>(url, SUSPICIONS)
  return found.map(({ invariant, item }) => `the reconciler says ${invariant} of ${item}`)
}

async function settle(url: string): Promise<void> {
  let last = { open: Number.NaN, since: Date.now() }
  const isSettledOrStuck = async () => {
    const { open } = await countOne<{ open: number }>(url, OPEN_WORK)
    if (open !== last.open) last = { open, since: Date.now() }
    return open === 0 || Date.now() - last.since > STUCK_MS
  }
  // What does not settle is reported with the other leftovers, not as a failure to wait.
  await waitFor(isSettledOrStuck, {
    what: 'all routes to settle',
    deadlineMs: SETTLE_MS,
    everyMs: 250,
  }).catch(() => {})
}
