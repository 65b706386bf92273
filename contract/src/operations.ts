/** What operators look at: malformed intents, captured messages, system events. */
import { z } from 'zod'
import { Channel, PageQuery, Timestamp } from './common.ts'

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

export const CapturedMessage = z.object({
  message_id: z.string(),
  notification_id: z.uuid(),
  route_id: z.string(),
  channel: Channel,
  notification_type: z.string(),
  recipient_ref: z.string(),
  address: z.string(),
  locale: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
  captured_at: Timestamp,
})
export type CapturedMessage = z.infer<typeof CapturedMessage>

export const CapturedMessageQuery = PageQuery.extend({
  notification_id: z.uuid().optional(),
  channel: Channel.optional(),
})
export type CapturedMessageQuery = z.infer<typeof CapturedMessageQuery>

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const
export const Severity = z.enum(SEVERITIES)
export type Severity = z.infer<typeof Severity>

export const SystemEvent = z.object({
  id: z.number().int(),
  tenant_id: z.uuid().nullable(),
  event_type: z.string(),
  subject: z.string().describe('What it is about, such as a provider’s name'),
  severity: Severity,
  description: z.string(),
  details: z.record(z.string(), z.unknown()),
  is_resolved: z.boolean(),
  resolved_at: Timestamp.nullable(),
  resolved_by: z.string().nullable(),
  created_at: Timestamp,
})
export type SystemEvent = z.infer<typeof SystemEvent>

export const SystemEventQuery = PageQuery.extend({
  severity: Severity.optional(),
  event_type: z.string().max(50).optional(),
  state: z.enum(['open', 'resolved', 'all']).default('all'),
})
export type SystemEventQuery = z.infer<typeof SystemEventQuery>

export const ResolveSystemEvent = z.strictObject({ resolved_by: z.string().min(1).max(200).optional() })
export type ResolveSystemEvent = z.infer<typeof ResolveSystemEvent>
