/**
 * Recoveries: sending again everything that failed since a given time, at a limited rate. A recovery is itself a row of
 * the outbox: each dispatch puts the next deliveries into the queue and is then postponed, so it survives any crash.
 */
import type { RecoverWebhook, WebhookRecovery } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { z } from 'zod'
import { notFound } from '../../platform/calls/refusal.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { enqueue } from '../outbox/enqueue.ts'
import type { DispatchOutcome, OutboxHandler } from '../outbox/handler.ts'
import { recoverDeliveries } from '../webhook-deliveries/deliveries.ts'
import { isWebhookActive, requireActiveWebhook } from '../webhooks/webhooks.ts'
import {
  countRecoverable,
  insertRecovery,
  type RecoveryRow,
  selectNextRecoverable,
  selectRecovery,
  storeProgress,
} from './queries.ts'

export const RECOVERY_KIND = 'webhook_recovery'

/** In deliveries. Small enough to keep transactions short. */
const MAX_CHUNK_SIZE = 500
const MINUTE_MS = 60_000

export async function startRecovery(
  tx: Client,
  tenantId: string,
  webhookId: string,
  input: z.output<typeof RecoverWebhook>,
): Promise<WebhookRecovery> {
  const id = uuidv7()
  await requireActiveWebhook(tx, tenantId, webhookId)
  const { since, until = new Date().toISOString(), rate_limit } = input
  const matched = await countRecoverable(tx, tenantId, webhookId, since, until)
  await insertRecovery(tx, tenantId, { id, webhook_id: webhookId, since, until, rate_limit, matched })
  await enqueue(tx, [
    {
      tenant_id: tenantId,
      source_kind: RECOVERY_KIND,
      op: 'recover',
      target_id: webhookId,
      payload: '{}',
      context: { recovery_id: id },
      max_attempts: 100,
      cap_ms: MINUTE_MS,
    },
  ])
  return toRecovery((await selectRecovery(tx, tenantId, id))!)
}

export async function getRecovery(
  pool: Pool,
  tenantId: string,
  webhookId: string,
  id: string,
): Promise<WebhookRecovery> {
  const row = await selectRecovery(pool, tenantId, id)
  if (row === undefined || row.webhook_id !== webhookId) throw notFound(`recovery ${id}`)
  return toRecovery(row)
}

/** `onDue` is called after deliveries were put into the queue. */
export function createRecoveryHandler(pool: Pool, onDue: () => void): OutboxHandler {
  return {
    sourceKind: RECOVERY_KIND,
    maxPerTarget: 1,
    async handle(row) {
      const outcome = await recoverChunk(pool, row.tenant_id, String(row.context.recovery_id))
      onDue()
      return { outcome }
    },
  }
}

async function recoverChunk(pool: Pool, tenantId: string, id: string): Promise<DispatchOutcome> {
  return transaction(pool, async tx => {
    const recovery = await selectRecovery(tx, tenantId, id, 'for update of r')
    // A recovery is deleted with its webhook.
    if (recovery === undefined || recovery.finished_at !== null) return { kind: 'done' }
    const size = chunkSize(recovery.rate_limit)
    const isActive = await isWebhookActive(tx, tenantId, recovery.webhook_id)
    const failed = isActive ? await selectNextRecoverable(tx, recovery, size) : []
    const ids = failed.map(delivery => delivery.id)
    const redelivered = await recoverDeliveries(tx, tenantId, ids, id)
    const isFinished = failed.length < size
    await storeProgress(tx, recovery, { redelivered, last: failed.at(-1), isFinished })
    if (isFinished) return { kind: 'done' }
    return {
      kind: 'busy',
      message: 'There are more deliveries to send again.',
      delay_ms: pauseMs(recovery.rate_limit, size),
    }
  })
}

/** The deliveries of about one second. */
function chunkSize(rateLimit: number | null): number {
  return rateLimit === null
    ? MAX_CHUNK_SIZE
    : Math.min(MAX_CHUNK_SIZE, Math.max(1, Math.floor(rateLimit / 60)))
}

function pauseMs(rateLimit: number | null, size: number): number {
  return rateLimit === null ? 0 : (size * MINUTE_MS) / rateLimit
}

function toRecovery(row: RecoveryRow): WebhookRecovery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    since: row.since.toISOString(),
    until: row.until.toISOString(),
    rate_limit: row.rate_limit,
    matched: row.matched,
    redelivered: row.redelivered,
    delivered: row.delivered,
    failed: row.failed,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }
}
