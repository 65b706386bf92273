/** Tenants, users and API keys. */
import { z } from 'zod'
import { Channel, EmailAddress, Name, PageQuery, Timestamp } from './common.ts'
import { TimeZone } from './time-zone.ts'

/** What a key may do. `admin` is everything inside its tenant; `instance` manages tenants and sees instance events. */
export const SCOPES = [
  'admin',
  'instance',
  'intents:write',
  'records:read',
  'records:write',
  'dead_letters:read',
  'dead_letters:write',
  'types:read',
  'types:write',
  'users:read',
  'users:write',
  'preferences:read',
  'preferences:write',
  'topics:write',
  'providers:read',
  'providers:write',
  'suppressions:read',
  'suppressions:write',
  'schedules:read',
  'schedules:write',
  'templates:read',
  'templates:write',
  'webhooks:read',
  'webhooks:write',
  'webhook_deliveries:write',
  'captured_messages:read',
  'system_events:read',
  'system_events:write',
  'api_keys:read',
  'api_keys:write',
  'tenant:read',
  'tenant:write',
  'audit_logs:read',
  'limits:write',
  'metrics:read',
] as const
export const Scope = z.enum(SCOPES)
export type Scope = z.infer<typeof Scope>

const READING = SCOPES.filter(scope => scope.endsWith(':read') && scope !== 'audit_logs:read')

/** Bundles of scopes for people. They follow rules, so that a scope of a later version falls into place by its name. */
export const ROLE_SCOPES = {
  owner: ['admin'],
  admin: SCOPES.filter(scope => !['admin', 'instance', 'tenant:write'].includes(scope)),
  operator: [
    ...READING,
    'records:write',
    'dead_letters:write',
    'suppressions:write',
    'webhook_deliveries:write',
    'system_events:write',
  ],
  viewer: READING,
} as const satisfies Record<string, readonly Scope[]>
export const KEY_ROLES = ['owner', 'admin', 'operator', 'viewer'] as const
export const KeyRole = z.enum(KEY_ROLES)
export type KeyRole = z.infer<typeof KeyRole>

const MaxAttempts = z.partialRecord(Channel, z.number().int().min(1).max(100))

export const Tenant = z.object({
  id: z.uuid(),
  name: z.string(),
  accept_unknown_types: z.boolean(),
  locales: z.array(z.string()).nullable(),
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
    .describe('null = any; a list = others become en'),
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
  audit_retention_days: days.min(30).nullable().optional().describe('null = kept for ever'),
  requests_per_minute: cap.optional().describe('Of each user, or of a key without one; null = no limit'),
  notifications_per_day: cap
    .optional()
    .describe('Intents of each user, or of a key without one; null = no limit'),
})
export type TenantSettings = z.infer<typeof TenantSettings>

export const NewTenant = TenantSettings.extend({ name: Name(100) })
export type NewTenant = z.infer<typeof NewTenant>

export const User = z.object({
  id: z.string(),
  email: z.string().nullable(),
  username: z.string().nullable(),
  phone: z.string().nullable(),
  locale: z.string(),
  timezone: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type User = z.infer<typeof User>

export const UserInput = z.strictObject({
  email: EmailAddress.nullable().default(null),
  username: Name(100).nullable().default(null),
  phone: z
    .string()
    .regex(/^\+[1-9][0-9]{6,14}$/, 'Expected an E.164 number such as +4915112345678.')
    .nullable()
    .default(null),
  locale: z
    .string()
    .max(35)
    .regex(/^$|^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/, 'Expected a locale such as en or pt-BR.')
    .default(''),
  timezone: TimeZone.default('UTC'),
})
export type UserInput = z.input<typeof UserInput>

export const UserQuery = PageQuery.extend({
  email: z.string().max(255).optional(),
  username: z.string().max(100).optional(),
})

export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  hint: z.string(),
  user_id: z.string().nullable(),
  scopes: z.array(Scope).nullable(),
  is_active: z.boolean(),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  created_at: Timestamp,
})
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = z.strictObject({
  name: Name(100),
  scopes: z.array(Scope).nullable().default(null).describe('null permits nothing'),
  role: KeyRole.optional().describe('Instead of scopes: those of the role, as they are now'),
  user_id: Name(200).optional(),
  expires_at: Timestamp.optional(),
})
export type NewApiKey = z.input<typeof NewApiKey>

export const ApiKeyQuery = PageQuery.extend({
  user_id: z.string().max(200).optional(),
  state: z.enum(['active', 'revoked', 'all']).default('all'),
})
export type ApiKeyQuery = z.infer<typeof ApiKeyQuery>

export const CreatedApiKey = ApiKey.extend({ key: z.string().describe('Shown only now') })
export type CreatedApiKey = z.infer<typeof CreatedApiKey>
