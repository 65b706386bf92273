/** No-op jobs for graphile-worker, the most similar queue, set up for throughput as its documentation advises. */
import { Logger, type RunnerOptions, runMigrations } from 'graphile-worker'
import type { Pool } from '../../../server/dist/platform/database/pool.js'
import { PAYLOAD } from '../tenant.ts'

export const TASK = 'no_op'

/** The best settings that were tried: 24 jobs at once from a local queue of 500, completions batched, logging off. */
export function workerOptions(databaseUrl: string): RunnerOptions {
  return {
    connectionString: databaseUrl,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    preset: {
      worker: {
        concurrentJobs: 24,
        maxPoolSize: 10,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  }
}

export async function prepareJobs(databaseUrl: string): Promise<void> {
  await runMigrations(workerOptions(databaseUrl))
}

/** Leaves exactly `count` jobs, each with the same payload as our records. */
export async function addJobs(pool: Pool, count: number): Promise<void> {
  await pool.query('truncate graphile_worker._private_jobs')
  await pool.query(
    `select count(*) from graphile_worker.add_jobs(array(
       select json_populate_record(null::graphile_worker.job_spec, json_build_object('identifier', $1::text, 'payload', $2::json))
       from generate_series(1, $3)
     ))`,
    [TASK, JSON.stringify(PAYLOAD), count],
  )
  await pool.query('vacuum (analyze) graphile_worker._private_jobs')
}

export async function countJobs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::integer as count from graphile_worker._private_jobs',
  )
  return rows[0]!.count
}
