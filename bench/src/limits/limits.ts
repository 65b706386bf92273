/** Accepting from a caller with limits, as a ratio to accepting from the same caller without. */
import type { Load } from '../accept/load-process.ts'
import { startChild } from '../child.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds, type Rates } from '../rounds.ts'
import { prepareTenant, removeRecords } from '../tenant.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 3
const ROUND_SECONDS = 4
/** A process remembers a caller's limits for a second: earlier, a round would measure the other variant. */
const LEAD_SECONDS = 1.2

/** High enough never to refuse here; a process asks for a hundredth of it at a time, as with any limit. */
const LIMITS = { limited: [1_000_000, 100_000_000], unlimited: [null, null] } as const
const VARIANTS = ['limited', 'unlimited'] as const
type Variant = (typeof VARIANTS)[number]

export const benchmarkLimits: Benchmark = async ({ scratch, rounds, tell }) => {
  const database = await scratch.createDatabase('limits')
  const { key } = await prepareTenant(database)
  const load = await startChild(new URL('../accept/load-process.js', import.meta.url), {
    key,
    connections: CONNECTIONS,
  })
  const server = await startChild(new URL('./api-process.js', import.meta.url), { databaseUrl: database.url })
  const look = () => server.ask<{ url: string; cpu_ms: number }>('look')
  const perCpuSecond: Rates<Variant> = { limited: [], unlimited: [] }

  const run = async (variant: Variant, seconds: number): Promise<number> => {
    await database.pool.query('update tenants set requests_per_minute = $1, notifications_per_day = $2', [
      ...LIMITS[variant],
    ])
    const { url } = await look()
    await load.ask({ url, seconds: LEAD_SECONDS })
    await removeRecords(database.pool)
    await scratch.checkpoint()
    const before = (await look()).cpu_ms + scratch.cpuMs()!
    const { accepted, elapsedSeconds } = await load.ask<Load>({ url, seconds })
    const cpuMs = (await look()).cpu_ms + scratch.cpuMs()! - before
    perCpuSecond[variant].push(accepted / (cpuMs / 1000))
    return accepted / elapsedSeconds
  }

  try {
    tell(`warming up, then ${CONNECTIONS} connections for ${ROUND_SECONDS} s each`)
    for (const variant of VARIANTS) await run(variant, WARM_UP_SECONDS)
    for (const variant of VARIANTS) perCpuSecond[variant].length = 0
    const rates = await measureRounds({
      rounds: rounds + 2,
      variants: VARIANTS,
      measure: variant => run(variant, ROUND_SECONDS),
      tell,
    })
    const line = (what: string, { limited, unlimited }: Rates<Variant>, aim?: number) =>
      compare({
        name: 'limits',
        what,
        measured: limited,
        anchor: unlimited,
        ...(aim !== undefined && { aim }),
        show: formatRate,
      })
    const byClock = line('accept with limits : accept without', rates, 0.95)
    if (perCpuSecond.limited.some(Number.isNaN)) return [byClock]
    return [byClock, line('the same, per second of processor time', perCpuSecond)]
  } finally {
    await Promise.all([load.stop(), server.stop()])
  }
}
