/** How long the named statements of a pool take, as their caller sees it. */
import { performance } from 'node:perf_hooks'
import type { Pool } from '../../../server/dist/platform/database/pool.js'

export type StatementTimes = Record<string, { count: number; total_ms: number; mean_ms: number }>

export function timeStatements(pool: Pool): { reset(): void; read(): StatementTimes } {
  const samples = new Map<string, number[]>()
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
  const timed = async (...given: unknown[]) => {
    const start = performance.now()
    try {
      return await query(...given)
    } finally {
      const { name } = given[0] as { name?: string }
      if (name !== undefined) samples.set(name, [...(samples.get(name) ?? []), performance.now() - start])
    }
  }
  pool.query = timed as Pool['query']

  return {
    reset: () => samples.clear(),
    read: () =>
      Object.fromEntries(
        [...samples].map(([name, ms]) => {
          const total = ms.reduce((sum, value) => sum + value, 0)
          return [name, { count: ms.length, total_ms: Math.round(total), mean_ms: total / ms.length }]
        }),
      ),
  }
}
