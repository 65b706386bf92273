/** The SQL of recoveries: which deliveries can be recovered, and how far a recovery has come. */
import type { WebhookRecovery } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

/** Failed for good, not a test, and not sent again since. */
const RECOVERABLE = 'not delivered and next_retry_at is null and not is_test and redelivered_at is null'

export async function countRecoverable(
  db: Executor,
  tenantId: string,
  webhookId: string,
  since: string,
  until: string,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::integer as count from webhook_deliveries
     where tenant_id = $1 and webhook_id = $2 and ${RECOVERABLE} and created_at >= $3 and created_at < $4`,
    [tenantId, webhookId, since, until],
  )
  return rows[0]!.count
}

export type RecoveryRow = Omit<WebhookRecovery, 'since' | 'until' | 'created_at' | 'finished_at'> & {
  tenant_id: string
  since: Date
  until: Date
  cursor_created_at: Date | null
  cursor_id: string | null
  created_at: Date
  finished_at: Date | null
}

export async function insertRecovery(
  db: Executor,
  tenantId: string,
  recovery: {
    id: string
    webhook_id: string
    since: string
    until: string
    rate_limit: number | null
    matched: number
  },
): Promise<void> {
  await db.query(
    `insert into webhook_recoveries (tenant_id, id, webhook_id, since, until, rate_limit, matched)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      tenantId,
      recovery.id,
      recovery.webhook_id,
      recovery.since,
      recovery.until,
      recovery.rate_limit,
      recovery.matched,
    ],
  )
}

export async function selectRecovery(
  db: Executor,
  tenantId: string,
  id: string,
  lock: '' | 'for update of r' = '',
): Promise<RecoveryRow | undefined> {
  const { rows } = await db.query<RecoveryRow>(
    `select r.tenant_id, r.id, r.webhook_id, r.since, r.until, r.rate_limit, r.matched, r.redelivered,
       r.cursor_created_at, r.cursor_id, r.created_at, r.finished_at, d.delivered, d.failed
     from webhook_recoveries r
     cross join lateral (
       select count(*) filter (where d.delivered)::integer as delivered,
         count(*) filter (where not d.delivered and d.next_retry_at is null)::integer as failed
       from webhook_deliveries d where d.tenant_id = r.tenant_id and d.recovery_id = r.id
     ) d
     where r.tenant_id = $1 and r.id = $2 ${lock}`,
    [tenantId, id],
  )
  return rows[0]
}

/** The next deliveries to recover, oldest first. Not locked, because dead letters must be locked before deliveries. */
export async function selectNextRecoverable(
  tx: Client,
  recovery: RecoveryRow,
  limit: number,
): Promise<{ id: string; created_at: Date }[]> {
  const { rows } = await tx.query<{ id: string; created_at: Date }>(
    `select id, created_at from webhook_deliveries
     where tenant_id = $1 and webhook_id = $2 and ${RECOVERABLE} and created_at >= $3 and created_at < $4
       and ($5::timestamptz is null or (created_at, id) > ($5, $6::uuid))
     order by created_at, id limit $7`,
    [
      recovery.tenant_id,
      recovery.webhook_id,
      recovery.since,
      recovery.until,
      recovery.cursor_created_at,
      recovery.cursor_id,
      limit,
    ],
  )
  return rows
}

export async function storeProgress(
  tx: Client,
  recovery: Pick<RecoveryRow, 'tenant_id' | 'id'>,
  progress: { redelivered: number; last: { id: string; created_at: Date } | undefined; isFinished: boolean },
): Promise<void> {
  await tx.query(
    `update webhook_recoveries set redelivered = redelivered + $3, cursor_created_at = coalesce($4, cursor_created_at),
       cursor_id = coalesce($5, cursor_id), finished_at = case when $6 then now() end
     where tenant_id = $1 and id = $2`,
    [
      recovery.tenant_id,
      recovery.id,
      progress.redelivered,
      progress.last?.created_at ?? null,
      progress.last?.id ?? null,
      progress.isFinished,
    ],
  )
}
