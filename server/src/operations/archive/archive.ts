/**
 * The archive: finished records leave the tables that delivery reads, a batch per transaction, and their months are
 * dropped when everything in them is past its retention. Any number of processes may do this at once, and be killed at any
 * moment: a record is moved with all that belongs to it, or not at all.
 */
import { performance } from 'node:perf_hooks'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { dropMonths } from './months.ts'
import { createMonths, moveBatch, type Position, selectArchivingTenants } from './queries.ts'

export interface Archived {
  records: number
  routes: number
  /** Months that were dropped, as 2026-01-01. */
  months: string[]
}

export interface ArchiveOptions {
  /** Where months are written before they are dropped; undefined: nowhere. */
  exportDir?: string | undefined
  batch?: { records: number; routes: number } | undefined
}

/** Small enough for a transaction of some hundred milliseconds. */
const BATCH = { records: 500, routes: 2000 }

/** Of every four moments, three are left to whoever delivers. */
const REST = 3

/** Moves everything that is due, without resting. */
export async function archiveOnce(pool: Pool, options: ArchiveOptions = {}): Promise<Archived> {
  const pass = createPass(pool, options)
  while ((await pass.step()) !== undefined);
  return pass.archived
}

export function createArchiver(
  options: ArchiveOptions & {
    pool: Pool
    wake: Wake
    intervalMs: number
    onArchived: (archived: Archived) => void
    onError: (error: unknown) => void
  },
): Service {
  let pass = createPass(options.pool, options)
  return createLoop({
    name: 'archiver',
    round: async () => {
      const tookMs = await pass.step()
      if (tookMs !== undefined) return tookMs * REST
      options.onArchived(pass.archived)
      pass = createPass(options.pool, options)
      return options.intervalMs
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: error => {
      // Somebody reads the archive just then; the next try is as good.
      if (!isDatabaseError(error, 'lock_not_available')) options.onError(error)
    },
  })
}

/** One way through all tenants. A step is one batch, and says how long it took; undefined: that was all. */
function createPass(pool: Pool, { exportDir, batch = BATCH }: ArchiveOptions) {
  const archived: Archived = { records: 0, routes: 0, months: [] }
  let tenants: string[] | undefined
  let after: Position | undefined

  async function step(): Promise<number | undefined> {
    const start = performance.now()
    if (tenants === undefined) await prepare()
    const tenant = tenants![0]
    if (tenant === undefined) {
      archived.months.push(...(await dropMonths(pool, exportDir)))
      return undefined
    }
    const moved = await moveBatch(pool, tenant, after, batch)
    archived.records += moved.records
    archived.routes += moved.routes
    if (moved.looked_at === 0) {
      tenants!.shift()
      after = undefined
    } else {
      after = { time: moved.last_time!, id: moved.last_id! }
    }
    return performance.now() - start
  }

  async function prepare(): Promise<void> {
    await createMonths(pool)
    tenants = await selectArchivingTenants(pool)
  }

  return { archived, step }
}
