/**
 * Why a message was not sent, or not yet. Each list is in the order in which its reasons can first occur: when routes
 * are planned, at the gates, at the providers. docs/reference/reasons.md explains them.
 */
import { z } from 'zod'

/** Left out on purpose: the route is `skipped`. */
export const SKIP_REASONS = [
  'no_address',
  'recipient_gone',
  'not_visible',
  'suppressed',
  'read',
  'thread_unsubscribed',
  'reason_off',
  'category_off',
  'channel_disabled',
  'frequency_cap',
  'throttled',
  'digested',
  'storm',
  'digest_empty',
  'no_device',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** The channel has providers, but none that takes the message now. */
export const PROVIDER_REASONS = ['no_provider', 'provider_down', 'provider_rate'] as const
export type ProviderReason = (typeof PROVIDER_REASONS)[number]

/** Not now: the route stays `pending` or `retrying` and has used no attempt. */
export const POSTPONE_REASONS = [
  'escalation',
  'delay',
  'local_time',
  'digest',
  'tenant_suspended',
  'paused',
  'quiet_hours',
  'visibility_unknown',
  'database',
  'cap_reached',
  'cap_unknown',
  ...PROVIDER_REASONS,
] as const
export type PostponeReason = (typeof POSTPONE_REASONS)[number]

/** Ended before it was sent: the route is `cancelled` or `expired`. */
export const FINISH_REASONS = ['cancelled', 'restored', 'deadline'] as const
export type FinishReason = (typeof FINISH_REASONS)[number]

const ROUTE_REASONS = [...SKIP_REASONS, ...POSTPONE_REASONS, ...FINISH_REASONS] as const
export type RouteReason = (typeof ROUTE_REASONS)[number]

/** Any text is valid: routes keep the reasons of older releases, and newer ones may know more. */
export const StoredReason = z
  .union([z.enum(['', ...ROUTE_REASONS]), z.string()])
  .describe('Why it was skipped, is waiting or has ended; empty if there is no reason')
