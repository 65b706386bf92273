/** Intents: a producer says that something happened and who should know. */
import { z } from 'zod'
import { ChatOptions, EmailOptions, SmsOptions } from './channel-options.ts'
import { Channel, Name, Timestamp, WallTime } from './common.ts'
import { ERROR_CODES, FieldError } from './errors.ts'

export const MAX_PAYLOAD_BYTES = 64 * 1024
export const MAX_BATCH_ITEMS = 10_000
export const MAX_RECIPIENTS = 10_000

export const AUDIENCE_KINDS = ['users', 'topic', 'tenant', 'addresses', 'admin_email'] as const
export const AudienceKind = z.enum(AUDIENCE_KINDS)
export type AudienceKind = z.infer<typeof AudienceKind>

export const Audience = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('users'), user_ids: z.array(Name(200)).min(1).max(MAX_RECIPIENTS) }),
  z.strictObject({ kind: z.literal('topic'), topic: Name(200) }),
  z.strictObject({ kind: z.literal('tenant') }),
  z.strictObject({
    kind: z.literal('addresses'),
    channel: Channel.exclude(['in_app']),
    addresses: z
      .array(Name(500))
      .min(1)
      .max(MAX_RECIPIENTS)
      .describe(
        'By email: ada@example.com. By SMS: E.164, such as +4915112345678; spaces and the like are removed',
      ),
  }),
  z.strictObject({ kind: z.literal('admin_email') }),
])
export type Audience = z.infer<typeof Audience>

/** What is being discussed, in the application's own words: {"kind": "issue", "id": "42"}. */
export const ThreadRef = z.strictObject({
  kind: Name(32).describe('One of the tenant’s thread_kinds, such as issue or pr'),
  id: Name(200),
})
export type ThreadRef = z.infer<typeof ThreadRef>

export const Intent = z.strictObject({
  notification_type: Name(100),
  producer: Name(100).optional().describe('Defaults to the producer name of the API key'),
  idempotency_key: Name(255)
    .optional()
    .describe('May also be sent as the Idempotency-Key header; without either, the content is the key'),
  audience: Audience,
  channels: z.array(Channel).min(1).optional().describe('Defaults to the channels of the type'),
  payload: z.record(z.string(), z.unknown()).describe('Kept byte for byte; at most 64 KiB and 100 levels'),
  send_at: Timestamp.optional().describe('Not before this time'),
  send_at_local: WallTime.optional().describe(
    'Not before this time in each recipient’s own time zone, such as 2026-12-24T09:00',
  ),
  expires_at: Timestamp.optional().describe('Not after this time, retries included'),
  occurred_at: Timestamp.optional().describe('When it happened, by the producer’s clock'),
  request_id: Name(200).optional(),
  template: Name(100)
    .optional()
    .describe('Replaces the type’s template on every channel that has a template of this name'),
  reason: Name(32)
    .optional()
    .describe(
      'Why these people get it, such as mention or assignment; people can switch reasons off. For topics, defaults to watching',
    ),
  thread: ThreadRef.optional().describe(
    'What it is about: mails of a thread are shown together, people can leave it, and get few mails about it',
  ),
  email: EmailOptions.optional().describe('For its mails'),
  sms: SmsOptions.optional().describe('For its text messages'),
  chat: ChatOptions.optional().describe('For its chat messages'),
})
export type Intent = z.infer<typeof Intent>
export type IntentInput = z.input<typeof Intent>

export const IntentWarning = z.object({
  code: z.enum(['unknown_type']).describe('unknown_type = the catalog has no such type'),
  detail: z.string(),
})
export type IntentWarning = z.infer<typeof IntentWarning>
export const IntentWarnings = z
  .array(IntentWarning)
  .optional()
  .describe('What may be a mistake, although it was accepted; absent if there is nothing')

export const Accepted = z.object({
  notification_id: z.uuid(),
  status: z.literal('accepted'),
  duplicate: z.boolean().describe('true if this key and content were accepted before; nothing was added'),
  warnings: IntentWarnings,
})
export type Accepted = z.infer<typeof Accepted>

/**
 * An item that comes from a stream names its entry: each entry of a producer is accepted once, or kept as malformed if
 * it cannot be accepted.
 */
export const BatchItem = Intent.extend({ source_entry_id: Name(255).optional() })

export const Batch = z.strictObject({ intents: z.array(z.unknown()).min(1) })
export interface BatchInput {
  intents: (IntentInput & { source_entry_id?: string })[]
}

export const BatchAnswer = z.object({
  accepted: z.number().int(),
  duplicates: z.number().int(),
  failed: z.number().int(),
  items: z.array(
    z.discriminatedUnion('status', [
      Accepted,
      z.object({
        status: z.literal('failed'),
        code: z.enum(ERROR_CODES),
        detail: z.string(),
        errors: z.array(FieldError).optional(),
      }),
    ]),
  ),
})
export type BatchAnswer = z.infer<typeof BatchAnswer>
