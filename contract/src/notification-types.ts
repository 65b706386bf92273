/** The catalog of notification types. */
import { z } from 'zod'
import { TypeCategory } from './categories.ts'
import { ChangesOf } from './changes.ts'
import { CHANNELS, Channel, EmailAddress, Name, Timestamp } from './common.ts'
import { AudienceKind } from './intents.ts'

const MAX_WAIT_SECONDS = 30 * 86_400
const PayloadField = z
  .string()
  .max(100)
  .default('')
  .describe('Name of a payload field whose values are counted separately; empty = all of the type together')

/** How many notifications of the type a person gets within a time; the others are skipped. */
export const ThrottlePolicy = z.strictObject({
  per: z.number().int().min(1).max(MAX_WAIT_SECONDS).describe('Seconds'),
  key: PayloadField,
  max: z.number().int().min(1).max(1000),
})
export type ThrottlePolicy = z.infer<typeof ThrottlePolicy>

/** Notifications for a person within a window are sent as one message. */
export const DigestPolicy = z.strictObject({
  window: z
    .number()
    .int()
    .min(1)
    .max(MAX_WAIT_SECONDS)
    .describe('Seconds, beginning with the first notification'),
  key: PayloadField,
  first_at_once: z
    .boolean()
    .default(false)
    .describe('The first notification is sent at once and opens the window'),
  max_items: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('How many of them the message gets as `items`; `count` is how many there were'),
})
export type DigestPolicy = z.infer<typeof DigestPolicy>

export const Escalation = z.strictObject({
  channel: Channel,
  after: z.number().int().min(1).max(MAX_WAIT_SECONDS).describe('Seconds after `channels` are due'),
  unless: z
    .enum(['read'])
    .nullable()
    .default('read')
    .describe('read = not if it has been read in the inbox by then; null = in any case'),
})
export type Escalation = z.infer<typeof Escalation>

const typeFields = z.strictObject({
  description: z.string().max(1000).default(''),
  category: z
    .union([z.literal(''), TypeCategory])
    .default('')
    .describe('What people can switch off together; empty = none'),
  producers: z.array(Name(100)).default([]).describe('Who may send it; empty = everybody'),
  audience_kinds: z.array(AudienceKind).default([]).describe('Empty = every kind'),
  channels: z.array(Channel).min(1),
  required_fields: z.array(Name(100)).default([]).describe('Fields that the payload must have'),
  admin_emails: z.array(EmailAddress).default([]).describe('Recipients of an admin_email audience'),
  critical: z
    .boolean()
    .default(false)
    .describe('Ignores quiet hours and caps, but not what a person switched off'),
  max_attempts: z.partialRecord(Channel, z.number().int().min(1).max(100)).default({}),
  providers: z
    .partialRecord(Channel, Name(50))
    .default({})
    .describe('Name of the provider to use per channel'),
  templates: z
    .partialRecord(Channel, Name(100))
    .default({})
    .describe('Name of the template to use per channel; defaults to the name of the type'),
  retry_base_ms: z.number().int().min(1).max(86_400_000).nullable().default(null),
  retry_cap_ms: z.number().int().min(1).max(86_400_000).nullable().default(null),
  delay: z
    .number()
    .int()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .default(0)
    .describe('Seconds to wait before the first attempt'),
  throttle: ThrottlePolicy.nullable().default(null),
  digest: DigestPolicy.nullable().default(null),
  escalate: z
    .array(Escalation)
    .max(CHANNELS.length)
    .default([])
    .describe('Channels to use later; none of them may be in `channels`'),
})

export const NotificationTypeInput = typeFields.superRefine(({ channels, escalate }, context) => {
  const refuse = (i: number, field: string, message: string) =>
    context.addIssue({ code: 'custom', path: ['escalate', i, field], message })
  for (const [i, { channel, unless }] of escalate.entries()) {
    if (channels.includes(channel))
      refuse(i, 'channel', 'It is already one of the channels that are used at once.')
    if (escalate.findIndex(other => other.channel === channel) < i)
      refuse(i, 'channel', 'It is listed twice.')
    if (unless === 'read' && !channels.includes('in_app'))
      refuse(i, 'unless', 'Nothing can be read unless in_app is one of the channels; use null.')
  }
})
export type NotificationTypeInput = z.input<typeof NotificationTypeInput>

/** What `channels` and `escalate` must have in common is checked together with the fields that stay. */
export const NotificationTypeChanges = ChangesOf(typeFields)
export type NotificationTypeChanges = z.input<typeof NotificationTypeChanges>

export const NotificationType = typeFields.extend({
  name: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type NotificationType = z.infer<typeof NotificationType>
