/** Delivery of real routes through a no-op provider, as a ratio to tuned graphile-worker with no-op jobs. */
import { startChild } from '../child.ts'
import type { Benchmark } from '../result.ts'
import type { Database } from '../scratch.ts'
import { prepareTenant } from '../tenant.ts'
import { compareDrains, measureDrains, type Queue } from './drains.ts'
import { addJobs, prepareJobs } from './jobs.ts'
import { openRoutes } from './routes.ts'

export const benchmarkDelivery: Benchmark = async context => {
  const database = await context.scratch.createDatabase('delivery')
  const tenant = await prepareTenant(database)
  const drains = await measureDrains(context, {
    routes: await openRoutes(database, tenant),
    jobs: await openJobs(await context.scratch.createDatabase('jobs')),
  })
  return compareDrains(drains, ['routes', 'jobs'], {
    name: 'delivery',
    what: 'delivery : graphile-worker tuned, no-op',
    aim: 0.5,
  })
}

async function openJobs({ url, pool }: Database): Promise<Queue> {
  await prepareJobs(url)
  return {
    process: await startChild(new URL('./job-process.js', import.meta.url), { databaseUrl: url }),
    fill: count => addJobs(pool, count),
  }
}
