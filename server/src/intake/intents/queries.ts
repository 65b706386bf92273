/** The SQL of intake: accepting intents, and storing those that could not be accepted. */
import type { ErrorCode } from '@carillon/contract'
import { isValueError } from '../../platform/database/errors.ts'
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import type { CheckedIntent } from './intent.ts'

export interface AcceptRow {
  ord: number
  outcome: 'accepted' | 'duplicate' | 'conflict' | 'refused'
  notification_id: string | null
  failure_code: ErrorCode | null
  failure_field: string | null
  /** Without a code, a warning about an accepted intent. */
  failure_message: string | null
}

/**
 * How long to wait for a key that another transaction has reserved but not yet committed: an application may leave its
 * own open for minutes after notify(), and everybody else's intents are in the same statement.
 */
const LOCK_TIMEOUT = '2s'

/** The limit is set first, by the statement itself, because a second one would cost a round trip. */
const ACCEPT = `
  select a.* from (select set_config('lock_timeout', '${LOCK_TIMEOUT}', true) as is_set) s
  cross join lateral accept_intents(case when s.is_set <> '' then $1::jsonb end) a`

/** One statement for the whole batch; server/functions/intents/accept_intents.sql has the rules. */
export async function acceptIntents(db: Pool | Client, intents: CheckedIntent[]): Promise<AcceptRow[]> {
  const { rows } = await db.query<AcceptRow>({
    name: 'accept_intents',
    text: ACCEPT,
    values: [JSON.stringify(intents.map((intent, ord) => ({ ord, ...intent })))],
  })
  return rows
}

export interface MalformedIntentRow {
  tenant_id: string
  source: string
  source_entry_id: string
  notification_type: string
  producer: string
  idempotency_key: string
  failure_code: string
  failure_message: string
  raw_fields: unknown
  recorded_at: Date
}

export type NewMalformedIntent = Omit<MalformedIntentRow, 'raw_fields' | 'recorded_at'> & {
  /** The fields as received: JSON text, so that no number loses a digit on the way. */
  raw_json: string
}

/**
 * Stores each entry once, however often it is submitted. One that has become a record is not stored: whoever read it found
 * it malformed, did not get to write that for a while, and somebody else could accept it meanwhile.
 */
export async function insertMalformedIntents(db: Executor, rows: NewMalformedIntent[]): Promise<void> {
  try {
    await insertMalformedRows(db, rows, 'json')
  } catch (error) {
    if (!isValueError(error)) throw error
    // JSON that jsonb cannot hold, such as thousands of nested arrays, is stored as text.
    if (rows.length === 1) await insertMalformedRows(db, rows, 'text')
    else for (const row of rows) await insertMalformedIntents(db, [row])
  }
}

async function insertMalformedRows(
  db: Executor,
  rows: NewMalformedIntent[],
  form: 'json' | 'text',
): Promise<void> {
  await db.query(
    `insert into malformed_intents (tenant_id, source, source_entry_id, notification_type, producer, idempotency_key,
       failure_code, failure_message, raw_fields)
     select tenant_id, source, source_entry_id, notification_type, producer, idempotency_key, failure_code,
       failure_message, case when $2 = 'json' then raw_json::jsonb else to_jsonb(raw_json) end
     from jsonb_to_recordset($1::jsonb) as m (tenant_id uuid, source text, source_entry_id text, notification_type text,
       producer text, idempotency_key text, failure_code text, failure_message text, raw_json text)
     where not exists (select from records r where r.tenant_id = m.tenant_id and r.source = m.source
       and r.producer = m.producer and r.source_entry_id = m.source_entry_id)
     on conflict do nothing`,
    [JSON.stringify(rows), form],
  )
}

/** Of a stream's entries, those that are a record are not malformed as well. Hardly ever is there one, so it looks first. */
export async function deleteMalformedRecords(
  db: Executor,
  tenantId: string,
  source: string,
  entries: { id: string; producer: string }[],
): Promise<void> {
  const { rows } = await db.query<{ producer: string; id: string }>(
    `select e.producer, e.id from unnest($3::text[], $4::text[]) as e (producer, id)
     join malformed_intents m on m.tenant_id = $1 and m.source = $2 and m.producer = e.producer
       and m.source_entry_id = e.id
     where exists (select from records r where r.tenant_id = $1 and r.source = $2 and r.producer = e.producer
       and r.source_entry_id = e.id)`,
    [tenantId, source, entries.map(({ producer }) => producer), entries.map(({ id }) => id)],
  )
  if (rows.length === 0) return
  await db.query(
    `delete from malformed_intents where tenant_id = $1 and source = $2
       and (producer, source_entry_id) in (select * from unnest($3::text[], $4::text[]))`,
    [tenantId, source, rows.map(({ producer }) => producer), rows.map(({ id }) => id)],
  )
}

/** Which of a stream's entries are kept here. */
export async function selectMalformedEntries(
  db: Executor,
  tenantId: string,
  source: string,
  entries: { id: string; producer: string }[],
): Promise<string[]> {
  const { rows } = await db.query<{ source_entry_id: string }>(
    `select m.source_entry_id from unnest($3::text[], $4::text[]) as e (producer, id)
     join malformed_intents m on m.tenant_id = $1 and m.source = $2 and m.producer = e.producer
       and m.source_entry_id = e.id`,
    [tenantId, source, entries.map(({ producer }) => producer), entries.map(({ id }) => id)],
  )
  return rows.map(row => row.source_entry_id)
}

export async function selectMalformedIntents(
  db: Executor,
  tenantId: string,
  query: {
    failure_code?: string | undefined
    producer?: string | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<MalformedIntentRow[]> {
  const { rows } = await db.query<MalformedIntentRow>(
    `select tenant_id, source, source_entry_id, notification_type, producer, idempotency_key, failure_code,
       failure_message, raw_fields, recorded_at
     from malformed_intents
     where tenant_id = $1 and ($2::text is null or failure_code = $2) and ($3::text is null or producer = $3)
       and ($4::timestamptz is null or (recorded_at, source_entry_id, producer) < ($4, $5, $6))
     order by recorded_at desc, source_entry_id desc, producer desc limit $7`,
    [
      tenantId,
      query.failure_code ?? null,
      query.producer ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.after?.[2] ?? null,
      query.limit,
    ],
  )
  return rows
}
