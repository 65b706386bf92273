/** Routes: one record × one recipient × one channel, the unit of delivery. */
import { z } from 'zod'
import { Channel, PageQuery, Timestamp } from './common.ts'
import { StoredReason } from './reasons.ts'

export const ROUTE_STATUSES = [
  'pending',
  'retrying',
  'sent',
  'dead',
  'skipped',
  'cancelled',
  'expired',
] as const
export const RouteStatus = z.enum(ROUTE_STATUSES)
export type RouteStatus = z.infer<typeof RouteStatus>

export const ATTEMPT_OUTCOMES = [
  'sent',
  'retry',
  'rate_limited',
  'permanent',
  'config',
  'uncertain',
  'lost',
  'postponed',
  'skipped',
  'cancelled',
  'expired',
] as const
export const AttemptOutcome = z.enum(ATTEMPT_OUTCOMES)
export type AttemptOutcome = z.infer<typeof AttemptOutcome>

/** A call of one provider. An attempt has several if a provider failed and the next one was tried. */
export const ProviderCall = z.object({
  provider: z.string(),
  outcome: AttemptOutcome,
  message: z.string(),
  duration_ms: z.number().int(),
  is_asked: z
    .literal(true)
    .optional()
    .describe('No answer came, and the service is asked before anything more is sent'),
})
export type ProviderCall = z.infer<typeof ProviderCall>

export const Attempt = z.object({
  attempt_no: z.number().int(),
  outcome: AttemptOutcome,
  provider: z.string(),
  message: z.string(),
  worker: z.string(),
  started_at: Timestamp,
  duration_ms: z.number().int(),
  next_attempt_at: Timestamp.nullable(),
  calls: z
    .array(ProviderCall)
    .describe(
      'The providers called within this attempt, in order, if more than one or if one is asked later',
    ),
})
export type Attempt = z.infer<typeof Attempt>

export const Route = z.object({
  notification_id: z.uuid(),
  route_id: z.string(),
  channel: Channel,
  recipient_ref: z.string(),
  user_id: z.string().nullable(),
  resolved_address: z.string(),
  resolved_locale: z.string(),
  template: z
    .object({ name: z.string(), locale: z.string(), version: z.number().int() })
    .nullable()
    .describe('The version it was accepted with; null = the text comes from the payload'),
  status: RouteStatus,
  reason: StoredReason,
  attempt_count: z.number().int(),
  max_attempts: z.number().int(),
  next_attempt_at: Timestamp.nullable(),
  digest_id: z
    .uuid()
    .nullable()
    .describe('The digest it joined or opened, by the notification_id under which that is sent'),
  is_escalation: z.boolean().describe('Whether it follows the other channels later'),
  provider: z.string(),
  provider_message_id: z.string(),
  last_error_classification: z.string(),
  last_error_message: z.string(),
  last_error_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  delivered_at: Timestamp.nullable().describe('When the service reported that it arrived'),
  opened_at: Timestamp.nullable(),
  bounced_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable().describe(
    'When it was sent, given up, skipped or cancelled, or when it expired',
  ),
})
export type Route = z.infer<typeof Route>

export const RouteQuery = PageQuery.extend({
  status: RouteStatus.optional(),
  channel: Channel.optional(),
  user_id: z.string().max(200).optional(),
  notification_type: z.string().max(100).optional(),
  provider: z.string().max(50).optional(),
  created_after: Timestamp.optional(),
  created_before: Timestamp.optional(),
})
export type RouteQuery = z.infer<typeof RouteQuery>

export const RouteMessageQuery = z.strictObject({
  notification_id: z.uuid(),
  route_id: z.string().min(1).max(1000),
})
export type RouteMessageQuery = z.infer<typeof RouteMessageQuery>

/** What a route says, as it was sent or would be. */
export const RouteMessage = z.object({
  channel: Channel,
  address: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
  template: Route.shape.template,
  is_exact: z.boolean().describe('true: this is what was captured; false: it was rendered now'),
  note: z.string().describe('What differs from what was sent or will be; empty if nothing does'),
})
export type RouteMessage = z.infer<typeof RouteMessage>
