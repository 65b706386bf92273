/** Messages that the capture provider stored instead of sending, for the API. A fresh install captures everything. */
import type { CapturedMessage } from '@carillon/contract'
import { type Message, shownOptions } from '../../content/messages/message.ts'
import { redactSignedLinks } from '../../content/signed-links/redact-links.ts'
import type { Executor, Pool } from '../../platform/database/pool.ts'
import { createBatcher } from '../../platform/queue/batcher.ts'
import type { Keyring } from '../../platform/secrets/keyring.ts'

export type CapturedMessageRow = Omit<CapturedMessage, 'captured_at'> & { captured_at: Date }

/** Saves in batches; saving the same message again changes nothing. */
export function createMessageStore(pool: Pool): (message: Message) => Promise<void> {
  const batcher = createBatcher<Message, undefined>({
    flush: async messages => {
      await insertCapturedMessages(pool, messages)
      return messages.map(() => undefined)
    },
    maxBatch: 500,
    isolates: () => true,
  })
  return message => batcher.add(message)
}

async function insertCapturedMessages(db: Executor, messages: Message[]): Promise<void> {
  await db.query(
    `insert into captured_messages (tenant_id, message_id, notification_id, route_id, channel, notification_type,
       recipient_ref, address, locale, subject, text, html, options)
     select tenant_id, message_id, notification_id, route_id, channel, notification_type, recipient_ref, address,
       locale, subject, text, html, nullif(options, 'null')
     from jsonb_to_recordset($1::jsonb) as m (tenant_id uuid, message_id text, notification_id uuid, route_id text,
       channel text, notification_type text, recipient_ref text, address text, locale text, subject text, text text,
       html text, options jsonb)
     on conflict do nothing`,
    [JSON.stringify(messages.map(message => ({ ...message, options: shownOptions(message.options) })))],
  )
}

const CAPTURED = `message_id, notification_id, route_id, channel, notification_type, recipient_ref, address, locale, subject,
  text, html, options, captured_at`

export async function selectCapturedMessages(
  db: Executor,
  tenantId: string,
  query: {
    notification_id?: string | undefined
    channel?: string | undefined
    after: (string | number)[] | undefined
    limit: number
  },
): Promise<CapturedMessageRow[]> {
  const { rows } = await db.query<CapturedMessageRow>(
    `select ${CAPTURED} from captured_messages
     where tenant_id = $1 and ($2::uuid is null or notification_id = $2) and ($3::text is null or channel = $3)
       and ($4::timestamptz is null or (captured_at, message_id) < ($4, $5))
     order by captured_at desc, message_id desc limit $6`,
    [
      tenantId,
      query.notification_id ?? null,
      query.channel ?? null,
      query.after?.[0] ?? null,
      query.after?.[1] ?? null,
      query.limit,
    ],
  )
  return rows
}

/** The last one of a route. */
export async function selectCapturedOfRoute(
  db: Executor,
  tenantId: string,
  notificationId: string,
  routeId: string,
): Promise<CapturedMessageRow | undefined> {
  const { rows } = await db.query<CapturedMessageRow>(
    `select ${CAPTURED} from captured_messages where tenant_id = $1 and notification_id = $2 and route_id = $3
     order by captured_at desc limit 1`,
    [tenantId, notificationId, routeId],
  )
  return rows[0]
}

/** A key that may only read messages must not be able to act for their recipients. */
export function withoutSignedLinks(keyring: Keyring, row: CapturedMessageRow): CapturedMessageRow {
  const { subject, text, html } = row
  return {
    ...row,
    subject: redactSignedLinks(keyring, subject),
    text: redactSignedLinks(keyring, text),
    html: html === null ? null : redactSignedLinks(keyring, html),
  }
}
