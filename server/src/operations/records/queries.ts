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

export const RECORD_COLUMNS = `notification_id, notification_type, producer, reason, audience_kind, event_id, relation, recipients, topic,
  case when thread_id is not null then jsonb_build_object('kind', thread_kind, 'id', thread_id) end as thread, channels, template,
  idempotency_key, idempotency_expires_at, request_fingerprint, source, source_entry_id, request_id, traceparent, run_id, send_at,
  send_at_local, expires_at, occurred_at, accepted_at, expanded_at, cancelled_at`

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
    inBoth(
      table =>
        `select ${RECORD_COLUMNS}, payload_json from ${table} where tenant_id = $1 and notification_id = $2`,
    ),
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
    `${inBoth(table => `select ${OF_EVENT} from ${table} where tenant_id = $1 and event_id = $2`)}
     order by accepted_at, notification_id`,
    [tenantId, eventId],
  )
  return rows
}

/** Whether the rule that an event's record goes by reaches people who muted it. */
export async function selectPassesMute(db: Executor, tenantId: string, id: string): Promise<boolean> {
  const { rows } = await db.query<{ passes_mute: boolean }>(
    inBoth(table => `select passes_mute from ${table} where tenant_id = $1 and notification_id = $2`),
    [tenantId, id],
  )
  return rows[0]?.passes_mute ?? false
}

/** One statement for both places, so a record that is being moved is seen once. */
function inBoth(select: (table: string) => string): string {
  return `${select('records')} union all ${select('records_archive')}`
}
