/** Delivery while two million finished routes move to the archive, and what claims cost before and after. */
import { performance } from 'node:perf_hooks'
import { archiveOnce, createArchiver } from '../../../server/dist/operations/archive/archive.js'
import { createPool } from '../../../server/dist/platform/database/pool.js'
import { createWake } from '../../../server/dist/platform/queue/wake.js'
import { compareDrains, measureDrains, type Queue } from '../delivery/drains.ts'
import { openRoutes } from '../delivery/routes.ts'
import { addFinishedRoutes } from '../history/finished-routes.ts'
import { type Benchmark, type Context, compare, type Result } from '../result.ts'
import { formatRate } from '../rounds.ts'
import type { Database } from '../scratch.ts'
import { prepareTenant, type Tenant } from '../tenant.ts'

const FINISHED = 2_000_000
/** Of new tenants. */
const HOT_DAYS = 90

export const benchmarkArchive: Benchmark = async context => {
  const { scratch, scale, tell } = context
  const database = await scratch.createDatabase('archive')
  const tenant = await prepareTenant(database)
  const count = Math.round((FINISHED * scale) / 1000) * 1000
  tell(`adding ${count.toLocaleString('en')} finished routes`)
  await addFinishedRoutes(database.pool, tenant.id, count, HOT_DAYS + 1)

  const during = await measureDuring(context, database, tenant)
  const moving = await moveTheRest(database, tell)
  const after = await measureDrains(context, { after: await open(database, tenant) })
  return [
    ...compareDrains(during, ['moving', 'undisturbed'], {
      name: 'archive',
      what: 'delivery while finished routes are moved : undisturbed',
      aim: 0.8,
    }),
    compare({
      name: 'archive',
      what: `claims and completions after ${count.toLocaleString('en')} were moved : before, per second of processor time`,
      measured: after.perCpuSecond.after,
      anchor: during.perCpuSecond.undisturbed,
      aim: 0.9,
      show: formatRate,
    }),
    moving,
  ]
}

const open = (database: Database, tenant: Tenant): Promise<Queue> =>
  openRoutes(database, tenant, { keepsFinished: true })

/** The archiver rests while the other variant is measured, and goes on where it was. */
async function measureDuring(context: Context, database: Database, tenant: Tenant) {
  const pool = createPool(database.url, { max: 2 })
  const errors: unknown[] = []
  let stop = async () => {}
  const start = async () => {
    const archiver = createArchiver({
      pool,
      wake: createWake(),
      intervalMs: 60_000,
      onArchived: () => errors.push(new Error('there is nothing left to move: more routes are needed')),
      onError: error => errors.push(error),
    })
    await archiver.start()
    stop = () => archiver.stop()
  }
  const variant = async (isMoving: boolean): Promise<Queue> => {
    const queue = await open(database, tenant)
    return {
      process: queue.process,
      async fill(count) {
        await stop()
        await queue.fill(count)
        if (isMoving) await start()
      },
    }
  }
  try {
    return await measureDrains(context, {
      undisturbed: await variant(false),
      moving: await variant(true),
    })
  } finally {
    await stop()
    await pool.end()
    if (errors.length > 0) context.tell(String(errors[0]))
  }
}

async function moveTheRest({ pool }: Database, tell: Context['tell']): Promise<Result> {
  tell('moving the rest without resting')
  const start = performance.now()
  const { routes } = await archiveOnce(pool)
  const rate = routes / ((performance.now() - start) / 1000)
  await pool.query('vacuum (analyze)')
  return {
    name: 'archive',
    what: 'finished routes moved without resting, and nothing else running',
    measured: formatRate(rate),
    anchor: '',
    aim: '',
    isMet: undefined,
    data: { routes, rate },
  }
}
