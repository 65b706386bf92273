/** The SQL of the times of cron triggers. */
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { CronTimes } from './due-runs.ts'

interface TriggerKey {
  tenant_id: string
  id: string
}

export interface DueCronRow extends TriggerKey, CronTimes {
  name: string
  is_suspended: boolean
  /** The database's clock, which decides what is due. */
  now: Date
}

/**
 * The cron trigger that has been due longest and that nobody else is running, locked until the transaction ends. Its tenant
 * is asked for by itself: as a join, the planner may read all tenants.
 */
export async function lockDueCron(tx: Executor): Promise<DueCronRow | undefined> {
  const { rows } = await tx.query<DueCronRow>(
    `select d.tenant_id, d.trigger_id as id, t.name, d.cron, d.timezone, d.misfire_policy, d.next_run_at,
       (select o.suspended_at is not null from tenants o where o.id = d.tenant_id) as is_suspended, now() as now
     from cron_trigger_details d
     join triggers t on t.tenant_id = d.tenant_id and t.id = d.trigger_id
     where d.next_run_at <= now() order by d.next_run_at limit 1 for update of d skip locked`,
  )
  return rows[0]
}

/** `lastRunAt` is undefined if nothing ran; null for the next: never again. */
export async function finishRuns(
  tx: Client,
  { tenant_id, id }: TriggerKey,
  times: { lastRunAt: Date | undefined; nextRunAt: Date | null },
): Promise<void> {
  await tx.query(
    `update cron_trigger_details set last_run_at = coalesce($3, last_run_at), next_run_at = $4
     where tenant_id = $1 and trigger_id = $2`,
    [tenant_id, id, times.lastRunAt ?? null, times.nextRunAt],
  )
}

export async function postponeRun(tx: Client, { tenant_id, id }: TriggerKey, byMs: number): Promise<void> {
  await tx.query(
    `update cron_trigger_details set next_run_at = now() + make_interval(secs => $3::float8 / 1000)
     where tenant_id = $1 and trigger_id = $2`,
    [tenant_id, id, byMs],
  )
}

/** Null: it does not run. */
export async function updateNextRun(
  tx: Client,
  { tenant_id, id }: TriggerKey,
  nextRunAt: Date | null,
): Promise<void> {
  await tx.query(
    'update cron_trigger_details set next_run_at = $3 where tenant_id = $1 and trigger_id = $2',
    [tenant_id, id, nextRunAt],
  )
}

export async function selectNow(db: Executor): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select now() as now')
  return rows[0]!.now
}
