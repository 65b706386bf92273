/** Providers: accounts at services that deliver messages. */
import { z } from 'zod'
import { Channel, Name, Timestamp } from './common.ts'
import { ATTEMPT_OUTCOMES } from './routes.ts'

export const ProviderChannel = Channel.exclude(['in_app'])

export const UNCERTAIN_POLICIES = ['resend', 'ask', 'hold'] as const
export const UncertainPolicy = z
  .enum(UNCERTAIN_POLICIES)
  .describe(
    'What to do when a request was sent and no answer came: send it again with the same id, ask the service, or hold it for an operator',
  )

export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const
export const BreakerState = z.enum(BREAKER_STATES)

/** A kind of provider with the schemas of its settings, from which forms can be built. */
export const ProviderKindInfo = z.object({
  name: z.string(),
  title: z.string(),
  channels: z.array(ProviderChannel),
  config_schema: z.record(z.string(), z.unknown()).describe('JSON Schema'),
  secrets_schema: z.record(z.string(), z.unknown()).describe('JSON Schema'),
  reports_back: z
    .boolean()
    .describe('Whether the service reports what became of messages, through its callback'),
  operator_only: z
    .boolean()
    .describe('Whether only a caller with the scope instance may set it up, as it connects to any host'),
})
export type ProviderKindInfo = z.infer<typeof ProviderKindInfo>

const settings = z.record(z.string(), z.unknown())
/** A provider that hangs delays everything behind it, so the wait is short. */
const TimeoutSeconds = z.number().int().min(1).max(60)

export const NewProvider = z.strictObject({
  name: Name(50),
  kind: Name(20),
  channel: ProviderChannel.optional().describe(
    'Needed only for kinds that serve several channels; of Twilio, sms unless given',
  ),
  config: settings.default({}),
  secrets: settings.default({}).describe('Stored encrypted and never shown again'),
  is_active: z.boolean().default(true),
  rate_limit: z.number().int().min(1).max(1_000_000).nullable().default(null).describe('Messages per minute'),
  timeout_seconds: TimeoutSeconds.default(30),
  priority: z.number().int().min(-1000).max(1000).default(0).describe('The highest is tried first'),
  uncertain_policy: UncertainPolicy.default('resend'),
})
export type NewProvider = z.input<typeof NewProvider>

export const ProviderChanges = z.strictObject({
  config: settings.optional(),
  secrets: settings
    .optional()
    .describe('Replaces all secrets; leave out to keep them. Needed when the destination changes'),
  is_active: z.boolean().optional(),
  rate_limit: z.number().int().min(1).max(1_000_000).nullable().optional(),
  timeout_seconds: TimeoutSeconds.optional(),
  priority: z.number().int().min(-1000).max(1000).optional(),
  uncertain_policy: UncertainPolicy.optional(),
})
export type ProviderChanges = z.infer<typeof ProviderChanges>

export const Provider = z.object({
  id: z.uuid(),
  name: z.string(),
  kind: z.string(),
  channel: ProviderChannel,
  source: z
    .enum(['tenant', 'environment'])
    .describe('environment: set up by the operator for tenants without one of their own; read-only'),
  config: settings,
  has_secrets: z.array(z.string()).describe('Names of the secrets that are set'),
  is_active: z.boolean(),
  rate_limit: z.number().int().nullable(),
  timeout_seconds: z.number().int(),
  priority: z.number().int(),
  uncertain_policy: UncertainPolicy,
  breaker: z.object({
    state: BreakerState,
    retry_at: Timestamp.nullable(),
    last_error: z.string(),
    changed_at: Timestamp.nullable(),
  }),
  callback_url: z
    .string()
    .nullable()
    .describe('To be entered at the service; null without CARILLON_PUBLIC_URL'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Provider = z.infer<typeof Provider>

export const TestMessage = z.strictObject({
  address: z.string().max(500).default('').describe('Where to send it; not needed for push'),
  user_id: Name(200).optional().describe('Whose devices a push goes to'),
})
export type TestMessage = z.input<typeof TestMessage>

export const TestAnswer = z.object({
  outcome: z.enum(ATTEMPT_OUTCOMES),
  message: z.string(),
  provider_message_id: z.string(),
  duration_ms: z.number().int(),
})
export type TestAnswer = z.infer<typeof TestAnswer>
