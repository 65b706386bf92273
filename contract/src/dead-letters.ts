/** Dead letters: work that exhausted automated handling and waits for an operator. */
import { z } from 'zod'
import { Channel, Name, PageQuery, Timestamp } from './common.ts'
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
  provider: z.string().describe('The provider that was called last; empty if none was'),
  template: z.string().nullable().describe('The name of the template; null if it has none'),
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
  replayed_to: z
    .string()
    .nullable()
    .describe('The address that it was replayed to instead of its own; null if nobody changed it'),
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

/** Selects dead letters, for the list, the groups, and the replay and resolution by filter alike. */
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
  provider: z
    .string()
    .max(50)
    .optional()
    .describe('The provider that was called last; empty for letters without one'),
  template: z
    .string()
    .max(100)
    .optional()
    .describe('The name of the template; empty for letters without one'),
  notification_id: z.uuid().optional(),
  recipient_ref: z.string().min(1).max(2000).optional(),
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

export const DeadLetterGroupQuery = z.strictObject(DeadLetterFilter.shape).extend({
  state: z.enum(['open', 'resolved', 'all']).default('open'),
})
export type DeadLetterGroupQuery = z.infer<typeof DeadLetterGroupQuery>

/** Letters that failed for the same cause. */
export const DeadLetterGroup = z.object({
  failure_reason: FailureReason,
  failure_classification: z.string(),
  channel: Channel.nullable().describe('null for work of the outbox'),
  provider: z.string().describe('Empty if none was called'),
  template: z.string().nullable(),
  source: z.string().describe('route for messages to recipients, otherwise the kind of outbox work'),
  notification_types: z.array(z.string()).max(5).describe('Up to five of them, by name'),
  count: z.number().int(),
  oldest_at: Timestamp,
  newest_at: Timestamp,
  sample: DeadLetter.pick({
    id: true,
    failure_message: true,
    recovery_hint: true,
    recipient_ref: true,
  }).describe('The newest letter'),
  filter: DeadLetterFilter.describe('Selects exactly the letters of this group'),
})
export type DeadLetterGroup = z.infer<typeof DeadLetterGroup>

export const DeadLetterGroups = z.object({
  data: z.array(DeadLetterGroup).describe('The largest first, at most 100'),
})
export type DeadLetterGroups = z.infer<typeof DeadLetterGroups>

export const ReplayDeadLetter = z.strictObject({
  address: Name(500)
    .optional()
    .describe('Send the message to this address instead; only for messages to recipients'),
})
export type ReplayDeadLetter = z.infer<typeof ReplayDeadLetter>

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

export const ResolveDeadLetters = ReplayDeadLetters.extend({
  resolution: z.enum(['ignored']).default('ignored'),
})
export type ResolveDeadLetters = z.infer<typeof ResolveDeadLetters>

export const ResolveAnswer = ReplayAnswer.omit({ replayed: true }).extend({ resolved: z.number().int() })
export type ResolveAnswer = z.infer<typeof ResolveAnswer>
