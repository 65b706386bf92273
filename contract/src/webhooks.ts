/** Webhooks: where a tenant wants to be told what became of notifications, and what was delivered there. */
import { z } from 'zod'
import { Name, PageQuery, Timestamp } from './common.ts'
import { WebhookEventType } from './webhook-events.ts'

export const PAYLOAD_MODES = ['full', 'thin'] as const
export const WEBHOOK_FORMATS = ['standard', 'cloudevents'] as const
export const WEBHOOK_ORDERINGS = ['none', 'notification', 'recipient', 'endpoint'] as const
const BACKOFFS = ['exponential', 'linear', 'constant'] as const

const WebhookUrl = z
  .string()
  .max(500)
  .refine(isHttpUrl, 'Expected an address such as https://example.com/hooks, without user or password.')

/** Names that carry meaning between us and the receiver, or belong to the connection. */
const RESERVED =
  /^(webhook-.*|carillon-.*|host|content-type|content-length|connection|transfer-encoding|upgrade|te|trailer|expect|keep-alive|traceparent|user-agent)$/i
const Headers = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Expected the name of a header.')
      .refine(name => !RESERVED.test(name), 'This header is set by Carillon itself.'),
    z
      .string()
      .max(2000)
      .regex(/^[\t\x20-\x7e]*$/, 'Expected printable ASCII.'),
  )
  .refine(headers => Object.keys(headers).length <= 20, 'At most 20 headers.')
  .describe('Sent with every request; stored encrypted, only their names are shown')

const Secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/, 'Expected whsec_ and base64.')
  .refine(isRightLength, 'Expected 24 to 64 bytes behind whsec_.')
  .describe('Made by Carillon unless given')

const settings = {
  url: WebhookUrl,
  description: z.string().max(200),
  events: z.array(WebhookEventType).min(1),
  notification_types: z.array(Name(100)).max(100).describe('Empty = every type'),
  categories: z.array(z.string().max(50)).max(100).describe('Empty = every category'),
  headers: Headers,
  payload_mode: z.enum(PAYLOAD_MODES).describe('thin: ids only, to be read by the API'),
  format: z.enum(WEBHOOK_FORMATS).describe('cloudevents: CloudEvents 1.0, structured mode'),
  ordering: z
    .enum(WEBHOOK_ORDERINGS)
    .describe(
      'One after the other per notification, per recipient or for the whole endpoint; none = as they come',
    ),
  batch_size: z.number().int().min(1).max(100).describe('Events that may go out in one request'),
  batch_seconds: z.number().int().min(0).max(60).describe('How long events wait for others'),
  is_active: z.boolean().describe('false: no events are written; true also enables a disabled one again'),
  is_paused: z.boolean().describe('true: events wait until it is false again'),
  disable_after: z
    .number()
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .describe('Deliveries in a row that fail for good before it is disabled; null = never'),
  retry_count: z.number().int().min(0).max(50).describe('Attempts after the first'),
  backoff: z.enum(BACKOFFS),
  retry_base_ms: z.number().int().min(1).max(86_400_000),
  retry_cap_ms: z.number().int().min(1).max(86_400_000),
  timeout_seconds: z.number().int().min(1).max(60),
  rate_limit: z.number().int().min(1).max(1_000_000).nullable().describe('Requests per minute'),
}

export const NewWebhook = z.strictObject({
  url: settings.url,
  description: settings.description.default(''),
  user_id: Name(200)
    .nullable()
    .default(null)
    .describe('Only what concerns this person; null = the whole tenant'),
  events: settings.events,
  notification_types: settings.notification_types.default([]),
  categories: settings.categories.default([]),
  headers: settings.headers.default({}),
  secret: Secret.optional(),
  payload_mode: settings.payload_mode.default('full'),
  format: settings.format.default('standard'),
  ordering: settings.ordering.default('none'),
  batch_size: settings.batch_size.default(1),
  batch_seconds: settings.batch_seconds.default(0),
  is_active: settings.is_active.default(true),
  is_paused: settings.is_paused.default(false),
  disable_after: settings.disable_after.default(50),
  retry_count: settings.retry_count.default(3),
  backoff: settings.backoff.default('exponential'),
  retry_base_ms: settings.retry_base_ms.default(30_000),
  retry_cap_ms: settings.retry_cap_ms.default(86_400_000),
  timeout_seconds: settings.timeout_seconds.default(10),
  rate_limit: settings.rate_limit.default(null),
})
export type NewWebhook = z.input<typeof NewWebhook>

export const WebhookChanges = z.strictObject(settings).partial()
export type WebhookChanges = z.infer<typeof WebhookChanges>

export const Webhook = z.object({
  ...settings,
  id: z.uuid(),
  url: z.string(),
  user_id: z.string().nullable(),
  headers: z.array(z.string()).describe('Names of the custom headers'),
  secret_expires_at: Timestamp.nullable().describe(
    'Until when the secret before the last rotation still signs',
  ),
  disabled_at: Timestamp.nullable(),
  disabled_reason: z.enum(['', 'gone', 'failing']).describe('gone: the receiver answered 410'),
  consecutive_failures: z.number().int(),
  waiting: z.number().int().describe('Events that wait to be sent, or to be sent again'),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Webhook = z.infer<typeof Webhook>

export const WebhookQuery = PageQuery.extend({
  user_id: z.string().max(200).optional().describe('Only those of this person'),
  state: z.enum(['active', 'inactive', 'all']).default('all'),
})
export type WebhookQuery = z.infer<typeof WebhookQuery>

export const CreatedWebhook = Webhook.extend({ secret: z.string().describe('Shown only now') })
export type CreatedWebhook = z.infer<typeof CreatedWebhook>

export const RotateWebhookSecret = z.strictObject({
  secret: Secret.optional(),
  grace_seconds: z
    .number()
    .int()
    .min(0)
    .max(604_800)
    .default(86_400)
    .describe('How long the old secret signs as well'),
})
export type RotateWebhookSecret = z.input<typeof RotateWebhookSecret>

export const TestWebhook = z.strictObject({ event_type: WebhookEventType.default('notification.sent') })
export type TestWebhook = z.input<typeof TestWebhook>

export const WebhookAttempt = z.object({
  attempt_no: z.number().int(),
  started_at: Timestamp,
  duration_ms: z.number().int(),
  status: z.number().int().nullable().describe('null when no answer came'),
  error: z.string().describe('Why it did not count as delivered'),
  response_body: z.string().describe('At most 32 KiB'),
})
export type WebhookAttempt = z.infer<typeof WebhookAttempt>

export const DELIVERY_STATUSES = ['delivered', 'retrying', 'failed'] as const

export const WebhookDelivery = z.object({
  id: z.uuid(),
  webhook_id: z.uuid(),
  notification_id: z.uuid().nullable(),
  event_id: z.uuid().describe('The header webhook-id'),
  event_type: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  delivered: z.boolean(),
  delivered_at: Timestamp.nullable(),
  next_retry_at: Timestamp.nullable(),
  response_status: z.number().int().nullable(),
  attempt_count: z.number().int(),
  is_test: z.boolean(),
  redelivery_of: z.uuid().nullable(),
  recovery_id: z.uuid().nullable(),
  created_at: Timestamp,
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  payload: z.string().describe('The body, byte for byte'),
  attempts: z.array(WebhookAttempt).describe('Oldest first'),
})
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>

export const WebhookDeliveryQuery = PageQuery.extend({
  status: z.enum(DELIVERY_STATUSES).optional(),
  event_type: z.string().max(50).optional(),
  notification_id: z.uuid().optional(),
  created_after: Timestamp.optional(),
  created_before: Timestamp.optional(),
})
export type WebhookDeliveryQuery = z.infer<typeof WebhookDeliveryQuery>

export const Redelivery = z.object({ id: z.uuid().describe('Of the new delivery'), redelivery_of: z.uuid() })
export type Redelivery = z.infer<typeof Redelivery>

export const RecoverWebhook = z.strictObject({
  since: Timestamp.describe('Deliveries that were written at or after this time'),
  until: Timestamp.optional().describe('And before this one; now unless given'),
  rate_limit: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('Deliveries per minute; null = as fast as they go'),
})
export type RecoverWebhook = z.input<typeof RecoverWebhook>

export const WebhookRecovery = z.object({
  id: z.uuid(),
  webhook_id: z.uuid(),
  since: Timestamp,
  until: Timestamp,
  rate_limit: z.number().int().nullable(),
  matched: z.number().int().describe('Failed deliveries when it began'),
  redelivered: z.number().int().describe('Put into the queue again so far'),
  delivered: z.number().int().describe('Of these, arrived'),
  failed: z.number().int().describe('Of these, failed again'),
  created_at: Timestamp,
  finished_at: Timestamp.nullable().describe('When the last one was put into the queue'),
})
export type WebhookRecovery = z.infer<typeof WebhookRecovery>

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''
}

function isRightLength(secret: string): boolean {
  const base64 = secret.slice('whsec_'.length).replace(/=+$/, '')
  const bytes = Math.floor((base64.length * 3) / 4)
  return bytes >= 24 && bytes <= 64
}
