/** Metrics: what became of the notifications of each hour and day, and how things are now. */
import { z } from 'zod'
import { Channel, PageQuery, Timestamp } from './common.ts'

const count = z.number().int()

const Counts = z.object({
  sent: count,
  failed: count.describe('Dead'),
  pending: count.describe('Pending or retrying'),
  skipped: count,
  cancelled: count,
  expired: count,
})

export const Metric = Counts.extend({
  date: z.iso.date(),
  hour: z.number().int().min(0).max(23).nullable().describe('UTC; null = the whole day'),
  provider: z.string().describe('Empty: no provider was asked'),
  channel: Channel,
  notification_type: z.string(),
  avg_delivery_ms: count.nullable().describe('From due to sent'),
  updated_at: Timestamp,
})
export type Metric = z.infer<typeof Metric>

export const MetricQuery = PageQuery.extend({
  period: z.enum(['hour', 'day']).default('hour'),
  from: z.iso.date().optional(),
  to: z.iso.date().optional().describe('Up to and including this day'),
  provider: z.string().max(50).optional(),
  channel: Channel.optional(),
  notification_type: z.string().max(100).optional(),
})
export type MetricQuery = z.infer<typeof MetricQuery>

/** The four questions of an operator: how does it go, what hangs, what died, and which provider is to blame. */
export const Overview = z.object({
  last_24_hours: Counts.describe('By when the intent was accepted'),
  hours: z
    .array(z.object({ at: Timestamp, sent: count, failed: count, pending: count }))
    .describe('The last 24, oldest first'),
  counted_at: Timestamp.nullable().describe(
    'When the hours before this one were counted; this one is as it is now',
  ),
  stuck: z.object({
    count: count.describe('Open for more than an hour after they were due first; at most 10,000 are counted'),
    oldest_at: Timestamp.nullable(),
  }),
  open_dead_letters: z.object({ count, oldest_at: Timestamp.nullable() }),
  providers: z
    .array(
      z.object({
        provider: z.string(),
        channel: Channel,
        total: count,
        sent: count,
        failed: count,
        avg_delivery_ms: count.nullable(),
      }),
    )
    .describe('Of what was accepted within the last hour'),
})
export type Overview = z.infer<typeof Overview>
