/** Claim and completion beside a million finished routes, as a ratio to the same without any. */
import { compareDrains, measureDrains, type Queue } from '../delivery/drains.ts'
import { openRoutes } from '../delivery/routes.ts'
import type { Benchmark, Context } from '../result.ts'
import { prepareTenant } from '../tenant.ts'
import { addFinishedRoutes } from './finished-routes.ts'

const HISTORY = 1_000_000

export const benchmarkHistory: Benchmark = async context => {
  const drains = await measureDrains(context, {
    full: await openWithHistory(context),
    empty: await openWithoutHistory(context),
  })
  return compareDrains(drains, ['full', 'empty'], {
    name: 'history',
    what: 'delivery beside 1,000,000 finished routes : beside none',
    aim: 0.9,
  })
}

async function openWithHistory({ scratch, tell }: Context): Promise<Queue> {
  const database = await scratch.createDatabase('history_full')
  const tenant = await prepareTenant(database)
  tell(`adding ${HISTORY.toLocaleString('en')} finished routes`)
  await addFinishedRoutes(database.pool, tenant.id, HISTORY)
  return openRoutes(database, tenant, { keepsFinished: true })
}

async function openWithoutHistory({ scratch }: Context): Promise<Queue> {
  const database = await scratch.createDatabase('history_empty')
  return openRoutes(database, await prepareTenant(database))
}
