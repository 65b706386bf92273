/** The SQL of schedules. */
import type { Client, Executor } from '../../platform/database/pool.ts'

export interface ScheduleRow {
  id: string
  tenant_id: string
  name: string
  cron: string
  timezone: string
  /** JSON text, as received. */
  intent: string
  producer: string
  is_active: boolean
  next_run_at: Date | null
  last_run_at: Date | null
  last_notification_id: string | null
  last_error: string
  created_at: Date
  updated_at: Date
}

export type ScheduleSettings = Pick<
  ScheduleRow,
  'id' | 'tenant_id' | 'name' | 'cron' | 'timezone' | 'intent' | 'producer' | 'is_active' | 'next_run_at'
>

const SCHEDULE = `id, tenant_id, name, cron, timezone, intent, producer, is_active, next_run_at, last_run_at,
  last_notification_id, last_error, created_at, updated_at`

/** The database's clock, which decides what is due. */
export async function selectNow(db: Executor): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('select now() as now')
  return rows[0]!.now
}

export async function insertSchedule(db: Executor, row: ScheduleSettings): Promise<ScheduleRow> {
  const { rows } = await db.query<ScheduleRow>(
    `insert into schedules (id, tenant_id, name, cron, timezone, intent, producer, is_active, next_run_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${SCHEDULE}`,
    values(row),
  )
  return rows[0]!
}

export async function updateSchedule(tx: Client, row: ScheduleSettings): Promise<ScheduleRow> {
  const { rows } = await tx.query<ScheduleRow>(
    `update schedules set name = $3, cron = $4, timezone = $5, intent = $6, producer = $7, is_active = $8,
       next_run_at = $9, updated_at = now()
     where tenant_id = $2 and id = $1 returning ${SCHEDULE}`,
    values(row),
  )
  return rows[0]!
}

function values(row: ScheduleSettings): unknown[] {
  const { id, tenant_id, name, cron, timezone, intent, producer, is_active, next_run_at } = row
  return [id, tenant_id, name, cron, timezone, intent, producer, is_active, next_run_at]
}

export async function selectSchedule(
  db: Executor,
  tenantId: string,
  id: string,
  lock: '' | 'for update' = '',
): Promise<ScheduleRow | undefined> {
  const { rows } = await db.query<ScheduleRow>(
    `select ${SCHEDULE} from schedules where tenant_id = $1 and id = $2 ${lock}`,
    [tenantId, id],
  )
  return rows[0]
}

/** Newest first. */
export async function selectSchedules(
  db: Executor,
  tenantId: string,
  page: { after: (string | number)[] | undefined; limit: number },
): Promise<ScheduleRow[]> {
  const { rows } = await db.query<ScheduleRow>(
    `select ${SCHEDULE} from schedules where tenant_id = $1 and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [tenantId, page.after?.[0] ?? null, page.limit],
  )
  return rows
}

export async function deleteSchedule(db: Executor, tenantId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from schedules where tenant_id = $1 and id = $2', [
    tenantId,
    id,
  ])
  return rowCount === 1
}

/** The schedule that has been due longest and that nobody else is running, locked until the transaction ends. */
export async function lockDueSchedule(
  tx: Executor,
): Promise<(ScheduleRow & { next_run_at: Date; now: Date }) | undefined> {
  const { rows } = await tx.query<ScheduleRow & { next_run_at: Date; now: Date }>(
    `select ${SCHEDULE}, now() as now from schedules where next_run_at <= now()
     order by next_run_at limit 1 for update skip locked`,
  )
  return rows[0]
}

export async function finishRun(
  tx: Client,
  { tenant_id, id }: Pick<ScheduleRow, 'tenant_id' | 'id'>,
  run: { next_run_at: Date | null; last_notification_id: string | null; last_error: string },
): Promise<void> {
  await tx.query(
    `update schedules set last_run_at = next_run_at, next_run_at = $3,
       last_notification_id = coalesce($4, last_notification_id), last_error = $5
     where tenant_id = $1 and id = $2`,
    [tenant_id, id, run.next_run_at, run.last_notification_id, run.last_error],
  )
}

/** Without a run; null: it never runs again. */
export async function updateNextRun(
  tx: Client,
  { tenant_id, id }: Pick<ScheduleRow, 'tenant_id' | 'id'>,
  nextRunAt: Date | null,
): Promise<void> {
  await tx.query('update schedules set next_run_at = $3 where tenant_id = $1 and id = $2', [
    tenant_id,
    id,
    nextRunAt,
  ])
}
