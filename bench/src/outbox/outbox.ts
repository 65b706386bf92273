/** Dispatch of outbox rows to a handler that does nothing, as a ratio to tuned graphile-worker with no-op jobs. */
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { startChild } from '../child.ts'
import { addJobs, prepareJobs } from '../delivery/jobs.ts'
import { type Benchmark, compare } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import { PAYLOAD, prepareTenant } from '../tenant.ts'
import type { Dispatched } from './outbox-process.ts'

const COUNT = 20_000
const WARM_UP = 5_000
const TARGETS = 10

export const benchmarkOutbox: Benchmark = async ({ scratch, rounds, isVerbose, tell }) => {
  const outbox = await scratch.createDatabase('outbox')
  const jobs = await scratch.createDatabase('outbox_jobs')
  const { id } = await prepareTenant(outbox)
  await prepareJobs(jobs.url)
  const processes = {
    outbox: await startChild(new URL('./outbox-process.js', import.meta.url), { databaseUrl: outbox.url }),
    jobs: await startChild(new URL('../delivery/job-process.js', import.meta.url), { databaseUrl: jobs.url }),
  }
  const prepare = {
    outbox: (count: number) => addRows(outbox.pool, id, count),
    jobs: (count: number) => addJobs(jobs.pool, count),
  }
  const statements: unknown[] = []
  const run = async (variant: 'outbox' | 'jobs', count: number): Promise<number> => {
    await prepare[variant](count)
    await scratch.checkpoint()
    const { seconds, ...details } = await processes[variant].ask<Dispatched>(count)
    if (variant === 'outbox') statements.push(details)
    if (variant === 'outbox' && isVerbose) tell(`${seconds.toFixed(3)} s ${JSON.stringify(details)}`)
    return count / seconds
  }

  try {
    tell(
      `warming up, then ${COUNT.toLocaleString('en')} rows for ${TARGETS} targets and as many jobs per round`,
    )
    await run('jobs', WARM_UP)
    await run('outbox', WARM_UP)
    const rates = await measureRounds({
      rounds: rounds + 2,
      variants: ['outbox', 'jobs'] as const,
      measure: variant => run(variant, COUNT),
      tell,
    })
    return [
      compare({
        name: 'outbox',
        what: 'outbox dispatch : graphile-worker tuned, no-op',
        measured: rates.outbox,
        anchor: rates.jobs,
        aim: 1,
        show: formatRate,
        data: statements,
      }),
    ]
  } finally {
    await Promise.all(Object.values(processes).map(child => child.stop()))
  }
}

/** Leaves exactly `count` due rows, each with the same payload as the jobs. */
async function addRows(pool: Pool, tenantId: string, count: number): Promise<void> {
  await pool.query('truncate outbox')
  await pool.query(
    `insert into outbox (id, tenant_id, source_kind, op, target_id, payload)
     select uuid_v7(), $1, 'no_op', 'bench', md5((n % $3::integer)::text)::uuid, $2 from generate_series(1, $4::integer) n`,
    [tenantId, JSON.stringify(PAYLOAD), TARGETS, count],
  )
  await pool.query('vacuum (analyze) outbox')
}
