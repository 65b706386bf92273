/** The catalog of notification types, and who watches which topic. */
import { z } from 'zod'
import { Channel, EmailAddress, Name, Timestamp } from './common.ts'
import { AudienceKind } from './intents.ts'

export const NotificationTypeInput = z.strictObject({
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
})
export type NotificationTypeInput = z.input<typeof NotificationTypeInput>

export const NotificationType = NotificationTypeInput.extend({
  name: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type NotificationType = z.infer<typeof NotificationType>

export const WATCH_LEVELS = ['all', 'participating', 'ignore'] as const
export const WatchInput = z.strictObject({ user_id: Name(200), level: z.enum(WATCH_LEVELS).default('all') })
export type WatchInput = z.input<typeof WatchInput>

export const Watch = z.object({
  topic: z.string(),
  user_id: z.string(),
  level: z.enum(WATCH_LEVELS),
  updated_at: Timestamp,
})
export type Watch = z.infer<typeof Watch>
