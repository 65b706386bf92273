/** Delivery through a provider with a breaker and a rate limit, as a ratio to the same delivery without them. */
import type { Benchmark } from '../result.ts'
import { prepareTenant } from '../tenant.ts'
import { compareDrains, measureDrains } from './drains.ts'
import { openRoutes } from './routes.ts'

export const benchmarkGuards: Benchmark = async context => {
  const database = await context.scratch.createDatabase('guards')
  const tenant = await prepareTenant(database)
  const drains = await measureDrains(context, {
    guarded: await openRoutes(database, tenant, { guards: 'breaker and rate limit' }),
    unguarded: await openRoutes(database, tenant),
  })
  return compareDrains(drains, ['guarded', 'unguarded'], {
    name: 'guards',
    what: 'delivery with breaker and rate limit : without',
    aim: 0.9,
  })
}
