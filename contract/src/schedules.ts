/** Schedules: intents that are sent repeatedly. */
import { z } from 'zod'
import { EmailOptions } from './channel-options.ts'
import { Name, Timestamp } from './common.ts'
import { Intent } from './intents.ts'
import { TimeZone } from './time-zone.ts'

export const CronExpression = z
  .string()
  .min(1)
  .max(100)
  .describe('minute hour day month weekday, such as 30 8 * * 1-5; or @daily and the like')

/** An intent without what belongs to a single run: the key, the times and attachments. */
export const ScheduledIntent = Intent.omit({
  idempotency_key: true,
  send_at: true,
  send_at_local: true,
  expires_at: true,
  occurred_at: true,
}).extend({ email: EmailOptions.omit({ attachments: true }).optional() })

export const NewSchedule = z.strictObject({
  name: Name(100),
  cron: CronExpression,
  timezone: TimeZone.default('UTC').describe('The IANA time zone in which the expression is read'),
  intent: ScheduledIntent.describe('Sent at every run; the payload is kept byte for byte'),
  is_active: z.boolean().default(true),
})
export type NewSchedule = z.input<typeof NewSchedule>

export const ScheduleChanges = z.strictObject({
  name: Name(100).optional(),
  cron: CronExpression.optional(),
  timezone: TimeZone.optional(),
  intent: ScheduledIntent.optional(),
  is_active: z.boolean().optional(),
})
export type ScheduleChanges = z.input<typeof ScheduleChanges>

export const Schedule = z.object({
  id: z.uuid(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  intent: ScheduledIntent,
  producer: z.string().describe('Used for an intent that names none'),
  is_active: z.boolean(),
  next_run_at: Timestamp.nullable(),
  last_run_at: Timestamp.nullable().describe('When it was due, not when it was sent'),
  last_notification_id: z.uuid().nullable(),
  last_error: z.string().describe('Why the last run sent nothing; empty if it did send'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Schedule = z.infer<typeof Schedule>

const count = z.coerce.number().int().min(1).max(100).default(10)
export const ScheduleRunsQuery = z.strictObject({ count })
export const SchedulePreviewQuery = z.strictObject({
  cron: CronExpression,
  timezone: TimeZone.default('UTC'),
  count,
})
export type SchedulePreviewQuery = z.input<typeof SchedulePreviewQuery>

export const SchedulePreview = z.object({
  runs: z.array(z.object({ at: Timestamp, local: z.string().describe('Local time in the time zone') })),
})
export type SchedulePreview = z.infer<typeof SchedulePreview>
