/** Domain events: what happened in an application, as it tells it. Who hears of it is decided by whoever reads the log. */
import { z } from 'zod'
import { Name, PageAddress, PageQuery, Timestamp } from './common.ts'
import { ERROR_CODES, FieldError } from './errors.ts'

export const MAX_EVENT_PAYLOAD_BYTES = 4096
export const MAX_EVENT_BATCH_ITEMS = 1000

/** A role that people have in an event, or lasting in a thread: mention, assignee, or one of the tenant's own. */
export const RelationName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, 'Expected at most 32 small letters, digits and _')

export const EventThread = z.strictObject({
  kind: Name(32).describe('What it is, such as issue or invoice'),
  id: Name(200).describe('Its id in the application'),
  title: Name(500).optional(),
  url: PageAddress.max(500).optional(),
  author_id: Name(200).optional().describe('Who opened it'),
})

export const NewEvent = z.strictObject({
  kind: Name(64).describe('What happened, such as issue_comment_created'),
  actor_id: Name(200).optional().describe('Who did it, and is not notified; left out = the system'),
  topic: Name(200).optional().describe('What it happened in, such as a repository or an account'),
  thread: EventThread.optional().describe('What it is about; created if it does not exist'),
  source_kind: Name(32).optional().describe('What it is in the application, such as comment'),
  source_id: Name(200).optional(),
  is_public: z.boolean().default(true),
  relations: z
    .record(RelationName, z.array(Name(200)).max(1000))
    .refine(relations => Object.keys(relations).length <= 50, 'At most 50 relations.')
    .optional()
    .describe('Who stands in which relation to it, by user id; people who do not exist are left out'),
  payload: z.record(z.string(), z.unknown()).optional().describe('Kept byte for byte; at most 4 KiB'),
  producer: Name(100).optional().describe('Defaults to the producer name of the API key'),
  idempotency_key: Name(255)
    .optional()
    .describe(
      'May also be sent as the Idempotency-Key header; without either, every request is another event',
    ),
  occurred_at: Timestamp.optional().describe('When it happened, by the application’s clock'),
  request_id: Name(200).optional(),
})
export type NewEvent = z.input<typeof NewEvent>

export const EmittedEvent = z.object({
  event_id: z.uuid(),
  duplicate: z.boolean().describe('true if this key and content were accepted before; nothing was added'),
})
export type EmittedEvent = z.infer<typeof EmittedEvent>

export const EventBatch = z.strictObject({ events: z.array(z.unknown()).min(1) })
export interface EventBatchInput {
  events: NewEvent[]
}

export const EventBatchAnswer = z.object({
  accepted: z.number().int(),
  duplicates: z.number().int(),
  failed: z.number().int(),
  items: z.array(
    z.discriminatedUnion('status', [
      EmittedEvent.extend({ status: z.literal('accepted') }),
      z.object({
        status: z.literal('failed'),
        code: z.enum(ERROR_CODES),
        detail: z.string(),
        errors: z.array(FieldError).optional(),
      }),
    ]),
  ),
})
export type EventBatchAnswer = z.infer<typeof EventBatchAnswer>

export const DomainEvent = z.object({
  event_id: z.uuid(),
  id: z
    .number()
    .int()
    .nullable()
    .describe('Its place in the tenant’s log, without gaps; null until it is put in order, moments later'),
  kind: z.string(),
  producer: z.string(),
  actor_id: z.string().nullable(),
  topic: z.string().nullable(),
  thread: z
    .object({
      kind: z.string(),
      id: z.string(),
      title: z.string().nullable(),
      url: z.string().nullable(),
      author_id: z.string().nullable(),
    })
    .nullable(),
  source_kind: z.string(),
  source_id: z.string(),
  is_public: z.boolean(),
  relations: z.record(z.string(), z.array(z.string())),
  payload_json: z.string().describe('The payload as it was sent'),
  idempotency_key: z.string().nullable(),
  request_id: z.string(),
  occurred_at: Timestamp,
  created_at: Timestamp,
})
export type DomainEvent = z.infer<typeof DomainEvent>

export const EventQuery = PageQuery.extend({
  kind: Name(64).optional(),
  topic: Name(200).optional(),
  thread_kind: Name(32).optional(),
  thread_id: Name(200).optional().describe('Together with thread_kind'),
  actor_id: Name(200).optional(),
}).refine(query => (query.thread_kind === undefined) === (query.thread_id === undefined), {
  error: 'Give thread_kind and thread_id together.',
  path: ['thread_id'],
})
export type EventQuery = z.infer<typeof EventQuery>

export const EVENT_CONSUMERS = ['notify_fanout', 'webhooks', 'triggers'] as const
export const EventConsumerName = z.enum(EVENT_CONSUMERS)
export type EventConsumerName = z.infer<typeof EventConsumerName>

export const EventCursor = z.object({
  consumer: z.string(),
  last_event_id: z.number().int().describe('The place of the last event that is done'),
  head_id: z.number().int().describe('The place of the newest event'),
  lag: z.number().int().describe('How many events it has still to read'),
  tries: z.number().int().describe('How often the next event has failed'),
  next_attempt_at: Timestamp.nullable().describe('When the event that failed is tried again'),
  last_error: z.string().describe('Why it failed; empty if it did not'),
  moved_at: Timestamp.describe('When it last moved, or fell behind'),
})
export type EventCursor = z.infer<typeof EventCursor>

export const EventCursors = z.object({ data: z.array(EventCursor) })

export const ResetEventCursor = z.strictObject({
  to_event_id: z
    .number()
    .int()
    .min(0)
    .describe('The place of the last event that counts as done; 0 = read the whole log again'),
})
export type ResetEventCursor = z.infer<typeof ResetEventCursor>
