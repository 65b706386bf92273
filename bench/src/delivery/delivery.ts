/** Delivery of real routes through a no-op provider, as a ratio to tuned graphile-worker with no-op jobs. */
import { startChild } from '../child.ts'
import { type Benchmark, compare, type Result } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { addDueRoutes, prepareTenant, removeRecords, tidy } from '../tenant.ts'
import { addJobs, prepareJobs } from './jobs.ts'
import type { Drained } from './route-process.ts'

const COUNT = 20_000
const WARM_UP = 5_000
const VARIANTS = ['routes', 'jobs'] as const
type Variant = (typeof VARIANTS)[number]

export const benchmarkDelivery: Benchmark = async ({ scratch, rounds, isVerbose, tell }) => {
  const routes = await scratch.createDatabase('delivery')
  const jobs = await scratch.createDatabase('jobs')
  const { id } = await prepareTenant(routes)
  await prepareJobs(jobs.url)
  const processes = {
    routes: await startChild(new URL('./route-process.js', import.meta.url), { databaseUrl: routes.url }),
    jobs: await startChild(new URL('./job-process.js', import.meta.url), { databaseUrl: jobs.url }),
  }
  const prepare = {
    async routes(count: number) {
      await removeRecords(routes.pool)
      await addDueRoutes(routes.pool, id, count)
      await tidy(routes.pool)
    },
    jobs: (count: number) => addJobs(jobs.pool, count),
  }
  /** Items per second of processor time, worker and database together. */
  const perCpuSecond: Record<Variant, number[]> = { routes: [], jobs: [] }

  const run = async (variant: Variant, count: number): Promise<number> => {
    await prepare[variant](count)
    await scratch.checkpoint()
    const before = scratch.cpuMs()
    const drained = await processes[variant].ask<Drained>(count)
    const databaseMs = scratch.cpuMs()! - before!
    perCpuSecond[variant].push(count / (drained.cpu_seconds + databaseMs / 1000))
    if (isVerbose)
      tell(`${variant}: ${JSON.stringify({ ...drained, database_cpu_ms: Math.round(databaseMs) })}`)
    return count / drained.seconds
  }

  try {
    tell(`warming up, then ${COUNT.toLocaleString('en')} routes and as many jobs per round`)
    for (const variant of VARIANTS) await run(variant, WARM_UP)
    for (const variant of VARIANTS) perCpuSecond[variant].length = 0
    const rates = await measureRounds({
      rounds: rounds + 2,
      variants: VARIANTS,
      measure: variant => run(variant, COUNT),
      tell,
    })
    return [
      compare({
        name: 'delivery',
        what: 'delivery : graphile-worker tuned, no-op',
        measured: rates.routes,
        anchor: rates.jobs,
        aim: 0.5,
        show: formatRate,
      }),
      ...compareCpu(perCpuSecond),
    ]
  } finally {
    await Promise.all(Object.values(processes).map(child => child.stop()))
  }
}

/** The same work by what it costs: steady even where the machine is not. Left out where it cannot be measured. */
function compareCpu({ routes, jobs }: Record<Variant, number[]>): Result[] {
  if (routes.some(Number.isNaN)) return []
  return [
    compare({
      name: 'delivery',
      what: 'the same, per second of processor time',
      measured: routes,
      anchor: jobs,
      show: formatRate,
    }),
  ]
}
