/** Dead letters: work that exhausted automated handling and waits for an operator. */
import { z } from 'zod'
import { Channel, PageQuery, Timestamp } from './common.ts'
import { Attempt } from './routes.ts'

export const RESOLUTIONS = ['replayed', 'ignored', 'handled_by_script', 'handler_failed'] as const
export const Resolution = z.enum(RESOLUTIONS)
export type Resolution = z.infer<typeof Resolution>

export const FAILURE_REASONS = [
  'max_retries_exceeded',
  'permanent_failure',
  'provider_rate_limit_exceeded',
  'provider_misconfigured',
  'worker_lost',
  'uncertain_delivery',
  'target_missing',
] as const
export const FailureReason = z.enum(FAILURE_REASONS)
export type FailureReason = z.infer<typeof FailureReason>

export const DEAD_LETTER_SOURCES = ['route', 'outbox'] as const
export const DeadLetter = z.object({
  id: z.uuid(),
  source_kind: z
    .enum(DEAD_LETTER_SOURCES)
    .describe('route: a message to a recipient; outbox: any other work, such as a webhook'),
  notification_id: z.uuid().nullable(),
  route_id: z.string().nullable(),
  notification_type: z.string(),
  channel: Channel.nullable().describe('null for work of the outbox'),
  recipient_ref: z.string(),
  final_attempt_count: z.number().int(),
  max_attempts: z.number().int(),
  failure_reason: FailureReason,
  failure_classification: z.string(),
  failure_message: z.string(),
  recovery_hint: z.string(),
  created_at: Timestamp,
  resolved_at: Timestamp.nullable(),
  resolution: Resolution.nullable().describe(
    'handler_failed leaves it open: the script that was to handle it failed',
  ),
  resolved_by: z.string().nullable(),
  original_event_id: z
    .uuid()
    .nullable()
    .describe('The id of the outbox row; for a webhook, also of its delivery'),
  source: z.string().describe('The kind of outbox work, such as webhook; empty for a route'),
  op: z.string().describe('What it was about; for a webhook the event, such as notification.sent'),
  target_id: z.uuid().nullable().describe('The target, such as the webhook'),
  trigger_id: z.uuid().nullable().describe('The trigger that called the script, for work of a script'),
  script_id: z.uuid().nullable(),
  first_attempt_at: Timestamp.nullable(),
  last_attempt_at: Timestamp.nullable(),
})
export type DeadLetter = z.infer<typeof DeadLetter>

export const DeadLetterDetail = DeadLetter.extend({
  payload_json: z.string(),
  attempts: z.array(Attempt).describe('Every attempt, oldest first'),
})
export type DeadLetterDetail = z.infer<typeof DeadLetterDetail>

/** Selects dead letters, for the list and the replay by filter alike. */
export const DeadLetterFilter = z.strictObject({
  source_kind: z.enum(DEAD_LETTER_SOURCES).optional(),
  source: z
    .string()
    .min(1)
    .max(32)
    .optional()
    .describe('The kind of outbox work, such as webhook or kv; route for messages to recipients'),
  trigger_id: z.uuid().optional(),
  script_id: z.uuid().optional(),
  target_id: z.uuid().optional(),
  channel: Channel.optional(),
  notification_type: z.string().max(100).optional(),
  failure_reason: FailureReason.optional(),
  failure_classification: z.string().max(50).optional(),
  created_after: Timestamp.optional(),
  created_before: Timestamp.optional(),
})
export type DeadLetterFilter = z.infer<typeof DeadLetterFilter>

export const DeadLetterQuery = PageQuery.extend(DeadLetterFilter.shape).extend({
  state: z.enum(['open', 'resolved', 'all']).default('open'),
})
export type DeadLetterQuery = z.infer<typeof DeadLetterQuery>

export const DeadLetterCountQuery = z.strictObject(DeadLetterFilter.shape)
export type DeadLetterCountQuery = z.infer<typeof DeadLetterCountQuery>

export const DeadLetterCount = z.object({ open: z.number().int() })
export type DeadLetterCount = z.infer<typeof DeadLetterCount>

export const ResolveDeadLetter = z.strictObject({
  resolution: z.enum(['ignored', 'handled_by_script']).default('ignored'),
  resolved_by: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Who resolved it; defaults to the user of the key'),
})
export type ResolveDeadLetter = z.infer<typeof ResolveDeadLetter>

export const ReplayDeadLetters = z.strictObject({
  filter: DeadLetterFilter,
  dry_run: z.boolean().default(false),
  limit: z.number().int().min(1).max(10_000).default(1000).describe('At most this many in one call'),
})
export type ReplayDeadLetters = z.infer<typeof ReplayDeadLetters>

export const ReplayAnswer = z.object({
  dry_run: z.boolean(),
  matched: z.number().int(),
  replayed: z.number().int(),
  remaining: z.number().int(),
})
export type ReplayAnswer = z.infer<typeof ReplayAnswer>
