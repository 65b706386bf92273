/** Accepting from a caller with limits, as a ratio to accepting from the same caller without. */

import type { Load } from '../accept/load-process.ts'
import { startChild } from '../child.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { prepareTenant, removeRecords } from '../tenant.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 2
const ROUND_SECONDS = 4

/** High enough never to refuse here; a process asks for a hundredth of it at a time, as with any limit. */
const LIMITS = { limited: [1_000_000, 100_000_000], unlimited: [null, null] } as const
const VARIANTS = ['limited', 'unlimited'] as const

export const benchmarkLimits: Benchmark = async ({ scratch, rounds, tell }) => {
  const database = await scratch.createDatabase('limits')
  const { key } = await prepareTenant(database)
  const load = await startChild(new URL('../accept/load-process.js', import.meta.url), {
    key,
    connections: CONNECTIONS,
  })
  const server = await startChild(new URL('./api-process.js', import.meta.url), { databaseUrl: database.url })
  const { url } = await server.ask<{ url: string }>('address')

  const run = async (variant: (typeof VARIANTS)[number], seconds: number): Promise<number> => {
    await removeRecords(database.pool)
    await database.pool.query('update tenants set requests_per_minute = $1, notifications_per_day = $2', [
      ...LIMITS[variant],
    ])
    await scratch.checkpoint()
    const { accepted, elapsed } = await load.ask<Load>({ url, seconds })
    return accepted / elapsed
  }

  try {
    tell(`warming up, then ${CONNECTIONS} connections for ${ROUND_SECONDS} s each`)
    for (const variant of VARIANTS) await run(variant, WARM_UP_SECONDS)
    const rates = await measureRounds({
      rounds,
      variants: VARIANTS,
      measure: variant => run(variant, ROUND_SECONDS),
      tell,
    })
    return [
      compare({
        name: 'limits',
        what: 'accept with limits : accept without',
        measured: rates.limited,
        anchor: rates.unlimited,
        aim: 0.95,
        show: formatRate,
      }),
    ]
  } finally {
    await Promise.all([load.stop(), server.stop()])
  }
}
