/** The SQL of webhook deliveries. */
import type { WebhookAttempt, WebhookDelivery } from '@carillon/contract'
import type { Client, Executor } from '../../platform/database/pool.ts'

type Times = 'delivered_at' | 'next_retry_at' | 'created_at'
export type DeliveryRow = Omit<WebhookDelivery, Times | 'status'> & {
  delivered_at: Date | null
  next_retry_at: Date | null
  created_at: Date
}
export type DeliveryDetailRow = DeliveryRow & {
  tenant_id: string
  payload: string
  content_type: string
  traceparent: string
  attempts: WebhookAttempt[]
}

const DELIVERY = `id, webhook_id, notification_id, event_id, event_type, delivered, delivered_at, next_retry_at,
  response_status, attempt_count, is_test, redelivery_of, recovery_id, created_at`

/** One attempt, and what becomes of the delivery. */
export interface AttemptedDelivery {
  id: string
  tenant_id: string
  webhook_id: string
  notification_id: string | null
  event_id: string
  event_type: string
  payload: string
  content_type: string
  traceparent: string
  /** Kept so that sending it again keeps the order. */
  ordering_key: string | null
  attempt: WebhookAttempt
  delivered: boolean
  retry_delay_ms: number | null
  is_test: boolean
  redelivery_of: string | null
  recovery_id: string | null
}

/**
 * Writes the delivery with its first attempt, and adds later attempts to it. Deliveries are deleted with their webhook
 * and their record, so none is written if either is gone; the locks keep both from being deleted in the meantime.
 */
export async function storeAttempts(tx: Executor, attempted: AttemptedDelivery[]): Promise<void> {
  await tx.query(
    `with input as materialized (
       select * from jsonb_to_recordset($1::jsonb) as i (id uuid, tenant_id uuid, webhook_id uuid, notification_id uuid,
         event_id uuid, event_type text, payload text, content_type text, traceparent text,
         ordering_key text, attempt jsonb, delivered boolean, retry_delay_ms float8, is_test boolean, redelivery_of uuid, recovery_id uuid)
     ), webhook as materialized (
       select w.tenant_id, w.id from notification_webhooks w
       where (w.tenant_id, w.id) in (select tenant_id, webhook_id from input) for key share
     ), live as materialized (
       select r.tenant_id, r.notification_id from records r
       where (r.tenant_id, r.notification_id) in (select tenant_id, notification_id from input) for key share
     ), archived as materialized (
       select r.tenant_id, r.notification_id from input i
       cross join lateral (
         select a.tenant_id, a.notification_id from records_archive a
         where a.tenant_id = i.tenant_id and a.notification_id = i.notification_id
           and not exists (select from live l where l.tenant_id = a.tenant_id and l.notification_id = a.notification_id)
         for key share
       ) r
     ), record as (
       select * from live union select * from archived
     )
     insert into webhook_deliveries as d (id, tenant_id, webhook_id, notification_id, event_id, event_type, payload,
       content_type, traceparent, ordering_key, response_status, attempt_count, attempts, delivered, delivered_at, next_retry_at,
       is_test, redelivery_of, recovery_id)
     select i.id, i.tenant_id, i.webhook_id, i.notification_id, i.event_id, i.event_type, i.payload, i.content_type,
       i.traceparent, i.ordering_key, (i.attempt ->> 'status')::integer, (i.attempt ->> 'attempt_no')::integer,
       jsonb_build_array(i.attempt), i.delivered, case when i.delivered then now() end,
       now() + make_interval(secs => i.retry_delay_ms / 1000), i.is_test, i.redelivery_of, i.recovery_id
     from input i
     join webhook w on w.tenant_id = i.tenant_id and w.id = i.webhook_id
     left join record r on r.tenant_id = i.tenant_id and r.notification_id = i.notification_id
     where i.notification_id is null or r.notification_id is not null
     on conflict (tenant_id, id) do update set
       response_status = excluded.response_status, attempt_count = excluded.attempt_count,
       attempts = d.attempts || excluded.attempts, delivered = excluded.delivered, delivered_at = excluded.delivered_at,
       next_retry_at = excluded.next_retry_at`,
    [JSON.stringify(attempted)],
  )
}

/** A statement for each status instead of a parameter: undelivered ones have an index of their own. */
const STATUS = {
  delivered: 'delivered',
  retrying: 'not delivered and next_retry_at is not null',
  failed: 'not delivered and next_retry_at is null',
  all: 'true',
} as const

export async function selectDeliveries(
  db: Executor,
  tenantId: string,
  webhookId: string,
  query: {
    status: keyof typeof STATUS
    event_type?: string | undefined
    notification_id?: string | undefined
    created_after?: string | undefined
    created_before?: string | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<DeliveryRow[]> {
  const { rows } = await db.query<DeliveryRow>(
    `select ${DELIVERY} from webhook_deliveries
     where tenant_id = $1 and webhook_id = $2 and ${STATUS[query.status]}
       and ($3::text is null or event_type = $3) and ($4::uuid is null or notification_id = $4)
       and ($5::timestamptz is null or created_at > $5) and ($6::timestamptz is null or created_at < $6)
       and ($7::timestamptz is null or (created_at, id) < ($7, $8::uuid))
     order by created_at desc, id desc limit $9`,
    [
      tenantId,
      webhookId,
      query.event_type ?? null,
      query.notification_id ?? null,
      query.created_after ?? null,
      query.created_before ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
    ],
  )
  return rows
}

export async function selectDelivery(
  db: Executor,
  tenantId: string,
  webhookId: string,
  id: string,
): Promise<DeliveryDetailRow | undefined> {
  const { rows } = await db.query<DeliveryDetailRow>(
    `select tenant_id, ${DELIVERY}, payload, content_type, traceparent, attempts from webhook_deliveries
     where tenant_id = $1 and webhook_id = $2 and id = $3`,
    [tenantId, webhookId, id],
  )
  return rows[0]
}

export interface DeliveryOfRecordRow {
  url: string
  event_type: string
  delivered: boolean
  next_retry_at: Date | null
  response_status: number | null
  attempt_count: number
  last_error: string
  created_at: Date
}

/** Oldest first, without test events. */
export async function selectDeliveriesOfRecord(
  db: Executor,
  tenantId: string,
  notificationId: string,
  limit: number,
): Promise<DeliveryOfRecordRow[]> {
  const { rows } = await db.query<DeliveryOfRecordRow>(
    `select w.url, d.event_type, d.delivered, d.next_retry_at, d.response_status, d.attempt_count,
       coalesce(d.attempts -> -1 ->> 'error', 'The webhook was not active.') as last_error, d.created_at
     from webhook_deliveries d join notification_webhooks w on w.tenant_id = d.tenant_id and w.id = d.webhook_id
     where d.tenant_id = $1 and d.notification_id = $2 and not d.is_test order by d.created_at, d.id limit $3`,
    [tenantId, notificationId, limit],
  )
  return rows
}

/**
 * Sends deliveries again, oldest first; for a recovery only those that have not been sent again since. Returns old and
 * new ids.
 */
export async function sendDeliveriesAgain(
  tx: Client,
  tenantId: string,
  deliveryIds: string[],
  recoveryId: string | null,
): Promise<{ id: string; redelivery_of: string }[]> {
  const { rows } = await tx.query<{ id: string; redelivery_of: string }>(
    `select d.id as redelivery_of, send_again(d.tenant_id, d.id, 'webhook', d.event_type, d.webhook_id, d.payload,
       jsonb_build_object('event_id', d.event_id, 'notification_id', d.notification_id, 'traceparent', d.traceparent,
         'content_type', d.content_type, 'is_test', d.is_test),
       d.ordering_key, link => jsonb_build_object('recovery_id', $3::uuid)) as id
     from (
       select * from webhook_deliveries
       where tenant_id = $1 and id = any ($2::uuid[]) and ($3::uuid is null or redelivered_at is null)
       order by created_at, id for update
     ) d`,
    [tenantId, deliveryIds, recoveryId],
  )
  return rows
}
