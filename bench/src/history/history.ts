/** Claim and completion beside a million finished routes, as a ratio to the same without any. */
import { startChild } from '../child.ts'
import type { Drained } from '../delivery/route-process.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { addDueRoutes, prepareTenant, removeRecords, tidy } from '../tenant.ts'
import { addFinishedRoutes } from './finished-routes.ts'

const HISTORY = 1_000_000
const COUNT = 20_000
const WARM_UP = 5_000

export const benchmarkHistory: Benchmark = async ({ scratch, rounds, isVerbose, tell }) => {
  const open = async (name: string) => {
    const database = await scratch.createDatabase(name)
    const { id } = await prepareTenant(database)
    const entry = new URL('../delivery/route-process.js', import.meta.url)
    return { pool: database.pool, id, worker: await startChild(entry, { databaseUrl: database.url }) }
  }
  const parts = { full: await open('history_full'), empty: await open('history_empty') }
  tell(`adding ${HISTORY.toLocaleString('en')} finished routes`)
  await addFinishedRoutes(parts.full.pool, parts.full.id, HISTORY)

  const run = async (variant: 'full' | 'empty', count: number): Promise<number> => {
    const { pool, id, worker } = parts[variant]
    if (variant === 'empty') await removeRecords(pool)
    await addDueRoutes(pool, id, count)
    await tidy(pool)
    await scratch.checkpoint()
    const { seconds, ...details } = await worker.ask<Drained>(count)
    if (isVerbose) tell(`${variant}: ${seconds.toFixed(3)} s ${JSON.stringify(details)}`)
    return count / seconds
  }

  try {
    tell('warming up')
    await run('full', WARM_UP)
    await run('empty', WARM_UP)
    const rates = await measureRounds({
      rounds,
      variants: ['full', 'empty'] as const,
      measure: variant => run(variant, COUNT),
      tell,
    })
    return [
      compare({
        name: 'history',
        what: 'delivery beside 1,000,000 finished routes : beside none',
        measured: rates.full,
        anchor: rates.empty,
        aim: 0.9,
        show: formatRate,
      }),
    ]
  } finally {
    await Promise.all(Object.values(parts).map(({ worker }) => worker.stop()))
  }
}
