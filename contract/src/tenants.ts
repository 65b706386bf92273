/** Tenants: isolated from each other, each with its own settings. */
import { z } from 'zod'
import { Channel, Name, Timestamp } from './common.ts'

const MaxAttempts = z.partialRecord(Channel, z.number().int().min(1).max(100))

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
  record_retention_days: z.number().int(),
  malformed_retention_days: z.number().int(),
  dead_letter_retention_days: z.number().int(),
  audit_retention_days: z.number().int().nullable(),
  requests_per_minute: z.number().int().nullable(),
  notifications_per_day: z.number().int().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Tenant = z.infer<typeof Tenant>

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
  record_retention_days: days.optional(),
  malformed_retention_days: days.optional(),
  dead_letter_retention_days: days.optional(),
  audit_retention_days: days.min(30).nullable().optional().describe('null = kept forever'),
  requests_per_minute: cap.optional().describe('For each user, or for a key without a user; null = no limit'),
  notifications_per_day: cap
    .optional()
    .describe('Intents of each user, or of a key without a user; null = no limit'),
})
export type TenantSettings = z.infer<typeof TenantSettings>

export const NewTenant = TenantSettings.extend({ name: Name(100) })
export type NewTenant = z.infer<typeof NewTenant>
