/** Delivery of real routes through a no-op provider, as a ratio to tuned graphile-worker with no-op jobs. */
import { startChild } from '../child.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { addDueRoutes, prepareTenant, removeRecords, tidy } from '../tenant.ts'
import { addJobs, prepareJobs } from './jobs.ts'
import type { Drained } from './route-process.ts'

const COUNT = 20_000
const WARM_UP = 5_000

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
  const statements: unknown[] = []
  const run = async (variant: 'routes' | 'jobs', count: number): Promise<number> => {
    await prepare[variant](count)
    await scratch.checkpoint()
    const { seconds, ...details } = await processes[variant].ask<Drained>(count)
    if (variant === 'routes') statements.push(details)
    if (variant === 'routes' && isVerbose) tell(`${seconds.toFixed(3)} s ${JSON.stringify(details)}`)
    return count / seconds
  }

  try {
    tell(`warming up, then ${COUNT.toLocaleString('en')} routes and as many jobs per round`)
    await run('jobs', WARM_UP)
    await run('routes', WARM_UP)
    const rates = await measureRounds({
      rounds: rounds + 2,
      variants: ['routes', 'jobs'] as const,
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
        data: statements,
      }),
    ]
  } finally {
    await Promise.all(Object.values(processes).map(child => child.stop()))
  }
}
