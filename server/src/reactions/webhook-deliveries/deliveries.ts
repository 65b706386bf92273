/** Deliveries: what was sent to an endpoint, how it answered, and sending one again. */
import type { Redelivery, WebhookDelivery, WebhookDeliveryDetail } from '@carillon/contract'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { resolveLettersAbout } from '../dead-letters/dead-letters.ts'
import { requireActiveWebhook } from '../webhooks/webhooks.ts'
import {
  type DeliveryOfRecordRow,
  type DeliveryRow,
  selectDeliveriesOfRecord,
  selectDelivery,
  sendDeliveriesAgain,
} from './queries.ts'

export type { DeliveryOfRecordRow }

export async function getDelivery(
  db: Executor,
  tenantId: string,
  webhookId: string,
  id: string,
): Promise<WebhookDeliveryDetail> {
  const row = await selectDelivery(db, tenantId, webhookId, id)
  if (row === undefined) throw notFound(`delivery ${id}`)
  const { payload, attempts } = row
  return { ...toDelivery(row), payload, attempts }
}

/** Sends the same body and webhook-id in a new delivery, and resolves an open dead letter about the old one. */
export async function redeliver(
  tx: Client,
  tenantId: string,
  webhookId: string,
  id: string,
  by: string | null,
): Promise<Redelivery> {
  const row = await selectDelivery(tx, tenantId, webhookId, id)
  if (row === undefined) throw notFound(`delivery ${id}`)
  if (row.next_retry_at !== null) {
    const at = row.next_retry_at.toISOString()
    throw new Refusal(
      'still_retrying',
      `Its next attempt is at ${at}; a delivery can be sent again once it has ended.`,
    )
  }
  await requireActiveWebhook(tx, tenantId, webhookId)
  await resolveLettersAbout(tx, tenantId, [id], by)
  const [again] = await sendDeliveriesAgain(tx, tenantId, [id], null)
  return again!
}

/** Sends failed deliveries again for a recovery, and resolves their open dead letters. Returns how many were sent. */
export async function recoverDeliveries(
  tx: Client,
  tenantId: string,
  ids: string[],
  recoveryId: string,
): Promise<number> {
  if (ids.length === 0) return 0
  await resolveLettersAbout(tx, tenantId, ids, null)
  return (await sendDeliveriesAgain(tx, tenantId, ids, recoveryId)).length
}

/** What was sent to webhooks about a record, oldest first. */
export function listDeliveriesOfRecord(
  db: Executor,
  tenantId: string,
  notificationId: string,
  limit: number,
): Promise<DeliveryOfRecordRow[]> {
  return selectDeliveriesOfRecord(db, tenantId, notificationId, limit)
}

export function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    notification_id: row.notification_id,
    event_id: row.event_id,
    event_type: row.event_type,
    status: row.delivered ? 'delivered' : row.next_retry_at === null ? 'failed' : 'retrying',
    delivered: row.delivered,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    next_retry_at: row.next_retry_at?.toISOString() ?? null,
    response_status: row.response_status,
    attempt_count: row.attempt_count,
    is_test: row.is_test,
    redelivery_of: row.redelivery_of,
    recovery_id: row.recovery_id,
    created_at: row.created_at.toISOString(),
  }
}
