/** Malformed intents: those that could not be accepted, as received. */
import { z } from 'zod'
import { PageQuery, Timestamp } from './common.ts'

export const MalformedIntent = z.object({
  source: z.string(),
  source_entry_id: z.string(),
  notification_type: z.string(),
  producer: z.string(),
  idempotency_key: z.string(),
  failure_code: z.string(),
  failure_message: z.string(),
  raw_fields: z.unknown(),
  recorded_at: Timestamp,
})
export type MalformedIntent = z.infer<typeof MalformedIntent>

export const MalformedIntentQuery = PageQuery.extend({
  failure_code: z.string().max(50).optional(),
  producer: z.string().max(100).optional(),
})
export type MalformedIntentQuery = z.infer<typeof MalformedIntentQuery>
