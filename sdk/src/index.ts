/** The public entry point of the SDK. */
export type * from '@carillon/contract'
export { type Client, createClient } from './client.ts'
export type { ReplayRequest, ResolveRequest } from './dead-letters.ts'
export { CarillonConnectionError, CarillonError, CarillonPersonError, CarillonTokenError } from './errors.ts'
export type { Readiness } from './health.ts'
export type { CallOptions } from './http.ts'
export type { Seen } from './inbox.ts'
export { createInboxClient, type InboxClient, type InboxClientOptions } from './inbox-client.ts'
export type { StreamOptions } from './inbox-stream.ts'
export type { SendOptions } from './intents.ts'
export type { DeleteEntryOptions } from './kv.ts'
export type { SeriesQuery } from './metrics.ts'
export type { ClientOptions } from './options.ts'
export type { PagedList, PagePosition, WholeList } from './pages.ts'
export type { TemplateKey } from './templates.ts'
export type { CreatedTenant } from './tenants.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  WebhookVerificationError,
} from './verify-webhook.ts'
