/** The body of an event that is not in the outbox, made by the SQL function that makes all others. */
import type { WebhookEventType } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import type { WebhookRow } from './queries.ts'

export interface SampleEvent {
  tenantId: string
  eventId: string
  eventType: WebhookEventType
  subject: string
  data: object
}

export async function makeBody(
  db: Executor,
  format: WebhookRow['format'],
  { tenantId, eventId, eventType, subject, data }: SampleEvent,
): Promise<{ body: string; contentType: string }> {
  const { rows } = await db.query<{ body: string; contentType: string }>(
    `select webhook_body($1, $2, $3, $4, $5, '', $6) as body, webhook_content_type($1) as "contentType"`,
    [format, eventId, eventType, tenantId, subject, JSON.stringify(data)],
  )
  return rows[0]!
}
