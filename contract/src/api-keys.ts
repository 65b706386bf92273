/** API keys: what they may do, and the roles that bundle it. */
import { z } from 'zod'
import { Name, PageQuery, Timestamp } from './common.ts'

/**
 * What a key may do. `admin` allows everything within its tenant; `instance` manages tenants and sees instance events.
 */
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
  'events:read',
  'events:write',
  'topics:read',
  'topics:write',
  'inbox:read',
  'inbox:write',
  'user_tokens:write',
  'email_log:read',
  'providers:read',
  'providers:write',
  'suppressions:read',
  'suppressions:write',
  'schedules:read',
  'schedules:write',
  'streams:read',
  'streams:write',
  'triggers:read',
  'triggers:write',
  'scripts:read',
  'scripts:write',
  'scripts:invoke',
  'kv:read',
  'kv:write',
  'queues:write',
  'inbound_emails:write',
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

const READ_SCOPES = SCOPES.filter(scope => scope.endsWith(':read') && scope !== 'audit_logs:read')

/**
 * Bundles of scopes for people. They are derived by name where possible, so that new scopes are included automatically.
 */
export const ROLE_SCOPES = {
  owner: ['admin'],
  admin: SCOPES.filter(scope => !['admin', 'instance', 'tenant:write'].includes(scope)),
  operator: [
    ...READ_SCOPES,
    'records:write',
    'dead_letters:write',
    'suppressions:write',
    'streams:write',
    'webhook_deliveries:write',
    'system_events:write',
  ],
  viewer: READ_SCOPES,
} as const satisfies Record<string, readonly Scope[]>
export const KEY_ROLES = ['owner', 'admin', 'operator', 'viewer'] as const
export const KeyRole = z.enum(KEY_ROLES)
export type KeyRole = z.infer<typeof KeyRole>

export const ApiKey = z.object({
  id: z.uuid(),
  name: z.string(),
  hint: z.string(),
  user_id: z.string().nullable(),
  scopes: z.array(Scope).nullable(),
  producers: z.array(z.string()).nullable(),
  limited_as: z
    .uuid()
    .nullable()
    .describe(
      'The key whose limits it uses: its creator’s, if that one could not change them; null: its own',
    ),
  is_active: z.boolean(),
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable(),
  created_at: Timestamp,
})
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = z.strictObject({
  name: Name(100),
  scopes: z.array(Scope).nullable().default(null).describe('null allows nothing'),
  role: KeyRole.optional().describe('Instead of scopes: the scopes that the role has now'),
  user_id: Name(200).optional(),
  producers: z
    .array(Name(100))
    .min(1)
    .max(50)
    .optional()
    .describe(
      'The producers it may send as, the first by default; without, only its own, and with admin any',
    ),
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
