/** Tenants: isolated from each other, each with its own settings. */
import { z } from 'zod'
import { Backoff, Channel, Name, Timestamp } from './common.ts'
import { Severity } from './system-events.ts'

const MaxAttempts = z.partialRecord(Channel, z.number().int().min(1).max(100))

const quota = z.number().int().min(1).max(1_000_000_000).nullable()
/** What the operator of the instance allows the tenant as a whole, however many keys and users it has. */
export const TenantQuota = z.object({
  requests_per_minute: quota.describe('null = no limit'),
  routes_per_day: quota.describe(
    'Messages to create, by recipient and channel, per day in UTC; null = no limit',
  ),
  storage_mb: quota.describe('Megabytes of rows, without indexes; null = no limit'),
})
export type TenantQuota = z.infer<typeof TenantQuota>

export const TenantDeletion = z.object({
  delete_at: Timestamp.describe('Until then it can be resumed'),
  started_at: Timestamp.nullable(),
  rows: z.number().int().describe('What there was to delete when it started'),
  rows_deleted: z.number().int(),
})

export const Tenant = z.object({
  id: z.uuid(),
  name: z.string(),
  accept_unknown_types: z.boolean(),
  locales: z.array(z.string()).nullable(),
  fallback_locale: z.string(),
  idempotency_window_seconds: z.number().int(),
  computed_key_window_seconds: z.number().int(),
  max_attempts: MaxAttempts,
  retry_base_ms: z.number().int(),
  retry_cap_ms: z.number().int(),
  trigger_max_attempts: z.number().int(),
  trigger_backoff: Backoff,
  trigger_base_ms: z.number().int(),
  record_hot_days: z.number().int(),
  record_retention_days: z.number().int(),
  malformed_retention_days: z.number().int(),
  dead_letter_retention_days: z.number().int(),
  audit_retention_days: z.number().int().nullable(),
  run_retention_days: z.number().int(),
  abandoned_retention_days: z.number().int(),
  event_retention_days: z.number().int(),
  inbox_retention_days: z.number().int(),
  requests_per_minute: z.number().int().nullable(),
  notifications_per_day: z.number().int().nullable(),
  script_http_allowed: z.boolean(),
  user_requests_per_minute: z.number().int(),
  cors_origins: z.array(z.string()),
  thread_kinds: z.array(z.string()),
  system_event_admins: z.array(z.string()),
  system_event_min_severity: Severity,
  system_event_retention_days: z.number().int(),
  mails_per_thread_window_seconds: z.number().int(),
  mails_per_hour: z.number().int(),
  reply_domain: z.string().nullable(),
  reply_event_kind: z.string().nullable(),
  quota: TenantQuota,
  storage_bytes: z
    .number()
    .int()
    .nullable()
    .describe('As last measured; null before that, or without a quota'),
  suspended_at: Timestamp.nullable(),
  suspension_reason: z.string(),
  deletion: TenantDeletion.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Tenant = z.infer<typeof Tenant>

/** As browsers write it: nothing after the host and port, and no pattern. */
const Origin = z
  .string()
  .max(255)
  .refine(
    origin => /^https?:[^*]+$/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin,
    'Expected an origin such as https://app.example.com, without a path.',
  )

const days = z.number().int().min(1).max(3650)
const seconds = z.number().int().max(31_536_000)
const cap = z.number().int().min(1).max(1_000_000_000).nullable()
export const TenantSettings = z.strictObject({
  accept_unknown_types: z.boolean().optional(),
  locales: z
    .array(z.string().min(2).max(35))
    .nullable()
    .optional()
    .describe('null = any; with a list, a locale that is not in it becomes the nearest that is'),
  fallback_locale: z
    .string()
    .max(35)
    .regex(/^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'Expected a locale such as en or pt-BR.')
    .optional()
    .describe('For readers without a locale, or whose language has no text; en comes last'),
  idempotency_window_seconds: seconds.min(1).optional(),
  computed_key_window_seconds: seconds
    .min(0)
    .optional()
    .describe('0 = an intent without a key is always new'),
  max_attempts: MaxAttempts.optional(),
  retry_base_ms: z.number().int().min(1).max(86_400_000).optional(),
  retry_cap_ms: z.number().int().min(1).max(86_400_000).optional(),
  trigger_max_attempts: z
    .number()
    .int()
    .min(1)
    .max(50)
    .optional()
    .describe('Of new triggers; those that exist keep theirs'),
  trigger_backoff: Backoff.optional().describe('Of new triggers'),
  trigger_base_ms: z.number().int().min(1).max(86_400_000).optional().describe('Of new triggers'),
  record_hot_days: days
    .optional()
    .describe('Finished records move to the archive then, where they are read as before'),
  record_retention_days: days
    .optional()
    .describe('Records are deleted then, in the archive with the month they are in'),
  malformed_retention_days: days.optional(),
  dead_letter_retention_days: days.optional(),
  audit_retention_days: days.min(30).nullable().optional().describe('null = kept forever'),
  run_retention_days: days.optional().describe('Runs of scripts'),
  abandoned_retention_days: days.optional().describe('Results of scripts whose caller had left'),
  event_retention_days: days.optional().describe('Events, once every consumer has read them'),
  inbox_retention_days: days
    .optional()
    .describe('Notifications in inboxes, from their last event; saved ones are kept'),
  requests_per_minute: cap.optional().describe('For each user, or for a key without a user; null = no limit'),
  notifications_per_day: cap
    .optional()
    .describe('Intents of each user, or of a key without a user; null = no limit'),
  script_http_allowed: z
    .boolean()
    .optional()
    .describe('Whether scripts may call other services with http.fetch'),
  user_requests_per_minute: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Of each person’s browsers together, with user tokens'),
  cors_origins: z
    .array(Origin)
    .max(50)
    .optional()
    .describe('Origins of the pages that may call with user tokens'),
  thread_kinds: z
    .array(Name(32))
    .max(100)
    .refine(kinds => new Set(kinds).size === kinds.length, 'Every kind once.')
    .optional()
    .describe('What threads may be: issue and pr, or others'),
  system_event_admins: z
    .array(Name(200))
    .max(50)
    .optional()
    .describe('Users who are notified of new system events, with the type system_event'),
  system_event_min_severity: Severity.optional().describe('Of the events that they are notified of'),
  system_event_retention_days: z.number().int().min(90).max(365).optional(),
  mails_per_thread_window_seconds: z
    .number()
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe('A person gets one mail about a thread in this time; 0 = as many as there are'),
  mails_per_hour: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Of mails about threads and events, for each person'),
  reply_domain: z
    .hostname()
    .max(253)
    .nullable()
    .optional()
    .describe(
      'Whose mails are passed on to /v1/inbound-emails; null = nobody can reply to mails about threads',
    ),
  reply_event_kind: Name(64)
    .nullable()
    .optional()
    .describe(
      'The event that a reply becomes; null = the kind of the thread with _comment_created behind it',
    ),
})
export type TenantSettings = z.infer<typeof TenantSettings>

const SomeQuota = z.strictObject(TenantQuota.partial().shape)

export const NewTenant = TenantSettings.extend({ name: Name(100), quota: SomeQuota.optional() })
export type NewTenant = z.infer<typeof NewTenant>

/** What an operator changes; what is left out stays. */
export const TenantChange = z.strictObject({ quota: SomeQuota })
export type TenantChange = z.infer<typeof TenantChange>

export const Suspension = z.strictObject({
  reason: z.string().max(500).default('').describe('Shown to the tenant'),
})
export type Suspension = z.input<typeof Suspension>

export const TenantDeletionQuery = z.strictObject({
  grace_days: z.coerce.number().int().min(0).max(365).default(30).describe('Until then it can be resumed'),
})
export type TenantDeletionQuery = z.input<typeof TenantDeletionQuery>
