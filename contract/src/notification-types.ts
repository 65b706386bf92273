/** The catalog of notification types. */
import { z } from 'zod'
import { CHANNELS, Channel, EmailAddress, Name, Timestamp } from './common.ts'
import { AudienceKind } from './intents.ts'

const LONGEST_WAIT = 30 * 86_400
const PayloadField = z
  .string()
  .max(100)
  .default('')
  .describe('Name of a payload field: each of its values counts for itself; empty = one for the whole type')

/** So many of the type reach a person per time; the others are skipped. */
export const ThrottlePolicy = z.strictObject({
  per: z.number().int().min(1).max(LONGEST_WAIT).describe('Seconds'),
  key: PayloadField,
  max: z.number().int().min(1).max(1000),
})
export type ThrottlePolicy = z.infer<typeof ThrottlePolicy>

/** What comes for a person within a window goes out as one message. */
export const DigestPolicy = z.strictObject({
  window: z.number().int().min(1).max(LONGEST_WAIT).describe('Seconds from the first one on'),
  key: PayloadField,
  first_at_once: z.boolean().default(false).describe('The first goes out at once and opens the window'),
  max_items: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('So many of them the message gets as `items`; `count` is how many there were'),
})
export type DigestPolicy = z.infer<typeof DigestPolicy>

export const Escalation = z.strictObject({
  channel: Channel,
  after: z.number().int().min(1).max(LONGEST_WAIT).describe('Seconds after the first channels'),
  unless: z
    .enum(['read'])
    .nullable()
    .default('read')
    .describe('read = not when it was read in the inbox meanwhile; null = in any case'),
})
export type Escalation = z.infer<typeof Escalation>

const typeFields = z.strictObject({
  description: z.string().max(1000).default(''),
  category: z.string().max(50).default('').describe('What people may switch off as one; empty = none'),
  producers: z.array(Name(100)).default([]).describe('Who may send it; empty = everybody'),
  audience_kinds: z.array(AudienceKind).default([]).describe('Empty = every kind'),
  channels: z.array(Channel).min(1),
  required_fields: z.array(Name(100)).default([]).describe('Payload fields that must be there'),
  admin_emails: z.array(EmailAddress).default([]).describe('Recipients of an admin_email audience'),
  critical: z
    .boolean()
    .default(false)
    .describe('Passes quiet hours and daily caps, never what a person switched off'),
  max_attempts: z.partialRecord(Channel, z.number().int().min(1).max(100)).default({}),
  providers: z
    .partialRecord(Channel, Name(50))
    .default({})
    .describe('Name of the provider to use per channel'),
  templates: z
    .partialRecord(Channel, Name(100))
    .default({})
    .describe('Name of the template to use per channel; the name of the type unless given'),
  retry_base_ms: z.number().int().min(1).max(86_400_000).nullable().default(null),
  retry_cap_ms: z.number().int().min(1).max(86_400_000).nullable().default(null),
  delay: z.number().int().min(0).max(LONGEST_WAIT).default(0).describe('Seconds before the first try'),
  throttle: ThrottlePolicy.nullable().default(null),
  digest: DigestPolicy.nullable().default(null),
  escalate: z
    .array(Escalation)
    .max(CHANNELS.length)
    .default([])
    .describe('Later tries on channels that are not among `channels`'),
})

export const NotificationTypeInput = typeFields.superRefine(({ channels, escalate }, context) => {
  const refuse = (i: number, field: string, message: string) =>
    context.addIssue({ code: 'custom', path: ['escalate', i, field], message })
  for (const [i, { channel, unless }] of escalate.entries()) {
    if (channels.includes(channel))
      refuse(i, 'channel', 'It goes out at once already, as one of the channels.')
    if (escalate.findIndex(other => other.channel === channel) < i)
      refuse(i, 'channel', 'It is listed twice.')
    if (unless === 'read' && !channels.includes('in_app'))
      refuse(i, 'unless', 'Without in_app among the channels nothing can be read; use null.')
  }
})
export type NotificationTypeInput = z.input<typeof NotificationTypeInput>

export const NotificationType = typeFields.extend({
  name: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type NotificationType = z.infer<typeof NotificationType>
