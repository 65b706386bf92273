/** Durable accept over HTTP, as a ratio to the same handler without the database step. */
import { type Child, startChild } from '../child.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import type { Database } from '../scratch.ts'
import { prepareTenant, vacuum } from '../tenant.ts'
import type { Variant } from './api-process.ts'
import type { Load } from './load-process.ts'

const VARIANTS = ['durable', 'fingerprint', 'bare'] as const satisfies Variant[]
const CONNECTIONS = 64
const WARM_UP_SECONDS = 2
const ROUND_SECONDS = 4

export const benchmarkAccept: Benchmark = async ({ scratch, rounds, isVerbose, tell }) => {
  const database = await scratch.createDatabase('accept')
  const { key } = await prepareTenant(database)
  const load = await startChild(new URL('./load-process.js', import.meta.url), {
    key,
    connections: CONNECTIONS,
  })
  const servers = {} as Record<Variant, Child>
  for (const variant of VARIANTS) {
    const input = { variant, databaseUrl: database.url }
    servers[variant] = await startChild(new URL('./api-process.js', import.meta.url), input)
  }

  const run = async (variant: Variant, seconds: number): Promise<number> => {
    await vacuum(database.pool)
    await scratch.checkpoint()
    const before = await countRows(database)
    const { url } = await servers[variant].ask<{ url: string }>('address')
    const spent = scratch.cpuMs()
    const { accepted, elapsedSeconds, latencyMs, cpu_ms } = await load.ask<Load>({ url, seconds })
    const postgres_ms = (scratch.cpuMs() ?? 0) - (spent ?? 0)
    if (variant === 'durable') refuseLoss(accepted, before, await countRows(database))
    if (isVerbose)
      tell(
        `${variant}: ${JSON.stringify({ accepted, ...latencyMs, load_ms: cpu_ms, postgres_ms, ...(await servers[variant].ask<object>('use')) })}`,
      )
    return accepted / elapsedSeconds
  }

  try {
    tell(`warming up, then ${CONNECTIONS} connections for ${ROUND_SECONDS} s each`)
    for (const variant of VARIANTS) await run(variant, WARM_UP_SECONDS)
    const rates = await measureRounds({
      rounds,
      variants: VARIANTS,
      measure: variant => run(variant, ROUND_SECONDS),
      tell,
    })
    const common = { name: 'accept', measured: rates.durable, show: formatRate }
    return [
      compare({
        ...common,
        what: 'accept : same handler with id and fingerprint, no database',
        anchor: rates.fingerprint,
        aim: 0.6,
      }),
      // Stricter than the aim: PostgreSQL computes the fingerprint, so that SQL callers share it.
      compare({ ...common, what: 'accept : same handler with id only, no database', anchor: rates.bare }),
    ]
  } finally {
    await Promise.all([load, ...Object.values(servers)].map(child => child.stop()))
  }
}

interface Rows {
  records: number
  routes: number
}

async function countRows({ pool }: Database): Promise<Rows> {
  const { rows } = await pool.query<Rows>(
    'select (select count(*) from records)::integer as records, (select count(*) from routes)::integer as routes',
  )
  return rows[0]!
}

/** A 202 without its row would make any rate worthless. */
function refuseLoss(accepted: number, before: Rows, after: Rows): void {
  const records = after.records - before.records
  const routes = after.routes - before.routes
  if (records < accepted || routes !== records * 3) {
    throw new Error(
      `${accepted} intents were accepted, but there are ${records} records with ${routes} routes`,
    )
  }
}
