/** The SQL of records. */
import type { Channel, Record as WireRecord } from '@carillon/contract'
import type { Dated } from '../../platform/database/dated.ts'
import type { Executor } from '../../platform/database/pool.ts'

export type RecordRow = Dated<
  WireRecord,
  | 'idempotency_expires_at'
  | 'send_at'
  | 'expires_at'
  | 'occurred_at'
  | 'accepted_at'
  | 'expanded_at'
  | 'cancelled_at'
> & { audience_kind: WireRecord['audience_kind']; channels: Channel[] }

const RECORD_COLUMNS = `notification_id, notification_type, producer, reason, audience_kind, event_id, relation, recipients, topic,
  case when thread_id is not null then jsonb_build_object('kind', thread_kind, 'id', thread_id) end as thread, channels, template,
  idempotency_key, idempotency_expires_at, request_fingerprint, source, source_entry_id, request_id, traceparent, run_id, send_at,
  send_at_local, expires_at, occurred_at, accepted_at, expanded_at, cancelled_at`

export async function selectRecords(
  db: Executor,
  tenantId: string,
  query: {
    notification_type?: string | undefined
    producer?: string | undefined
    idempotency_key?: string | undefined
    accepted_after?: string | undefined
    accepted_before?: string | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<RecordRow[]> {
  const { rows } = await db.query<RecordRow>(
    `select ${RECORD_COLUMNS} from records
     where tenant_id = $1 and ($2::text is null or notification_type = $2) and ($3::text is null or producer = $3)
       and ($4::text is null or idempotency_key = $4)
       and ($5::timestamptz is null or accepted_at > $5) and ($6::timestamptz is null or accepted_at < $6)
       and ($7::timestamptz is null or (accepted_at, notification_id) < ($7, $8::uuid))
     order by accepted_at desc, notification_id desc limit $9`,
    [
      tenantId,
      query.notification_type ?? null,
      query.producer ?? null,
      query.idempotency_key ?? null,
      query.accepted_after ?? null,
      query.accepted_before ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
    ],
  )
  return rows
}

/** When the type was added to the catalog; undefined if it is not there. */
export async function selectTypeCreation(
  db: Executor,
  tenantId: string,
  name: string,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ created_at: Date }>(
    'select created_at from notification_types where tenant_id = $1 and name = $2',
    [tenantId, name],
  )
  return rows[0]?.created_at
}

export async function selectRecord(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<(RecordRow & { payload_json: string }) | undefined> {
  const { rows } = await db.query<RecordRow & { payload_json: string }>(
    `select ${RECORD_COLUMNS}, payload_json from records where tenant_id = $1 and notification_id = $2`,
    [tenantId, id],
  )
  return rows[0]
}

export interface RecordOfEventRow {
  notification_id: string
  relation: string
  reason: string
  channels: Channel[]
  passes_mute: boolean
  accepted_at: Date
  expanded_at: Date | null
}

const OF_EVENT = 'notification_id, relation, reason, channels, passes_mute, accepted_at, expanded_at'

/** The records that an event caused: one per rule that reached somebody. */
export async function selectRecordsOfEvent(
  db: Executor,
  tenantId: string,
  eventId: string,
): Promise<RecordOfEventRow[]> {
  const { rows } = await db.query<RecordOfEventRow>(
    `select ${OF_EVENT} from records where tenant_id = $1 and event_id = $2 order by accepted_at, notification_id`,
    [tenantId, eventId],
  )
  return rows
}

/** Whether the rule that an event's record goes by reaches people who muted it. */
export async function selectPassesMute(db: Executor, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await db.query<{ passes_mute: boolean }>(
    'select passes_mute from records where tenant_id = $1 and notification_id = $2',
    [tenantId, id],
  )
  return rows[0]?.passes_mute ?? false
}
