/** Records: accepted intents, and the explanation of what became of them. */
import { z } from 'zod'
import { Channel, PageQuery, Timestamp } from './common.ts'
import { AUDIENCE_KINDS, ThreadRef } from './intents.ts'
import { StoredReason } from './reasons.ts'
import { RouteStatus } from './routes.ts'

export const StatusCounts = z.partialRecord(RouteStatus, z.number().int())

export const Record = z.object({
  notification_id: z.uuid(),
  notification_type: z.string(),
  producer: z.string(),
  reason: z.string().describe('Why these people get it; empty if the producer did not say'),
  audience_kind: z
    .enum([...AUDIENCE_KINDS, 'event'])
    .describe('event: people in a relation to a domain event'),
  event_id: z.uuid().nullable().describe('The domain event that caused it'),
  relation: z.string().nullable().describe('In which these people stood to the event'),
  recipients: z.array(z.string()),
  topic: z.string().nullable(),
  thread: ThreadRef.nullable().describe('What it is about; null if it names no thread'),
  channels: z.array(Channel),
  template: z.string().nullable().describe('The template that the intent names; null leaves it to the type'),
  idempotency_key: z.string(),
  idempotency_expires_at: Timestamp,
  request_fingerprint: z.string(),
  source: z.string(),
  source_entry_id: z.string().nullable(),
  request_id: z.string(),
  traceparent: z.string(),
  run_id: z.uuid().nullable().describe('The run of a script that sent it'),
  send_at: Timestamp.nullable(),
  send_at_local: z.string().nullable().describe('In each recipient’s own time zone'),
  expires_at: Timestamp.nullable(),
  occurred_at: Timestamp.nullable(),
  accepted_at: Timestamp,
  expanded_at: Timestamp.nullable().describe('null while a large audience is still being turned into routes'),
  cancelled_at: Timestamp.nullable(),
})
export type Record = z.infer<typeof Record>

export const RecordDetail = Record.extend({
  payload_json: z.string().describe('The payload, byte for byte as it was sent'),
  routes: StatusCounts.describe('Number of routes by status'),
})
export type RecordDetail = z.infer<typeof RecordDetail>

export const RecordQuery = PageQuery.extend({
  notification_type: z.string().max(100).optional(),
  producer: z.string().max(100).optional(),
  idempotency_key: z.string().max(255).optional(),
  user_id: z.string().max(200).optional().describe('With a route to this person'),
  status: RouteStatus.optional().describe('With at least one route in this status'),
  event_id: z.uuid().optional().describe('Caused by this domain event'),
  accepted_after: Timestamp.optional(),
  accepted_before: Timestamp.optional(),
})
export type RecordQuery = z.infer<typeof RecordQuery>

export const CancelAnswer = z.object({
  cancelled: z.number().int(),
  in_flight: z.number().int().describe('Being sent right now; not tried again if that fails'),
  finished: z.number().int(),
})
export type CancelAnswer = z.infer<typeof CancelAnswer>

/** A decision: when it was made, what was decided, and a sentence that explains it. */
export const Decision = z.object({ at: Timestamp, decision: z.string(), text: z.string() })
export type Decision = z.infer<typeof Decision>

/** A person's inbox row, as far as it tells of one event. */
export const InboxTrace = z.object({
  id: z.uuid(),
  is_latest: z
    .boolean()
    .describe('true: the event is the last that the row tells of; false: others came after it'),
  event_count: z.number().int(),
  is_read: z.boolean(),
  done_at: Timestamp.nullable(),
  saved_at: Timestamp.nullable(),
  snoozed_until: Timestamp.nullable(),
  is_hidden: z.boolean().describe('The person removed it from the inbox'),
  text: z.string().describe('The same in words'),
})
export type InboxTrace = z.infer<typeof InboxTrace>

export const Explanation = z.object({
  notification_id: z.uuid(),
  summary: z.string(),
  decisions: z.array(Decision).describe('About the notification as a whole, in order'),
  people: z.array(
    z.object({
      recipient_ref: z.string(),
      inbox: InboxTrace.nullable().describe(
        'The row that an event wrote or updated; null for other notifications',
      ),
      routes: z.array(
        z.object({
          route_id: z.string(),
          channel: Channel,
          status: RouteStatus,
          reason: StoredReason,
          summary: z.string(),
          decisions: z.array(Decision),
        }),
      ),
    }),
  ),
  next_cursor: z.string().nullable().describe('Set if there are more people than fit on one page'),
})
export type Explanation = z.infer<typeof Explanation>

export const ExplainQuery = PageQuery.extend({
  user_id: z.string().max(200).optional().describe('Only this person'),
})
