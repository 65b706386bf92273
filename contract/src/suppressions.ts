/** Suppressions: addresses that get nothing more. */
import { z } from 'zod'
import { Name, PageQuery, Timestamp } from './common.ts'
import { ProviderChannel } from './providers.ts'

export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribed', 'invalid', 'manual'] as const
export const Suppression = z.object({
  channel: ProviderChannel,
  address: z.string(),
  reason: z.enum(SUPPRESSION_REASONS),
  detail: z.string(),
  created_at: Timestamp,
})
export type Suppression = z.infer<typeof Suppression>

export const NewSuppression = z.strictObject({
  channel: ProviderChannel,
  address: Name(500),
  detail: z.string().max(500).default(''),
})
export type NewSuppression = z.input<typeof NewSuppression>

export const SuppressionQuery = PageQuery.extend({
  channel: ProviderChannel.optional(),
  address: z.string().max(500).optional(),
})
export type SuppressionQuery = z.infer<typeof SuppressionQuery>
