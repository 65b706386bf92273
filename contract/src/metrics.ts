/** Metrics: what became of the notifications of each hour and day, and how things are now. */
import { z } from 'zod'
import { Channel, PageQuery, Timestamp } from './common.ts'
import { Severity } from './system-events.ts'
import { TimeZone } from './time-zone.ts'

const count = z.number().int()

const Counts = z.object({
  sent: count,
  failed: count.describe('Routes that are dead'),
  pending: count.describe('Pending or retrying'),
  skipped: count,
  cancelled: count,
  expired: count,
})

export const Metric = Counts.extend({
  date: z.iso.date(),
  hour: z.number().int().min(0).max(23).nullable().describe('UTC; null = the whole day'),
  provider: z.string().describe('Empty if no provider was called'),
  channel: Channel,
  notification_type: z.string(),
  avg_delivery_ms: count.nullable().describe('From when it was due until it was sent'),
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

/** What an operator asks first: how it is going, what is stuck, what has failed, and which provider is to blame. */
export const Overview = z.object({
  last_24_hours: Counts.describe('Of intents accepted in this time'),
  hours: z
    .array(z.object({ at: Timestamp, sent: count, failed: count, pending: count }))
    .describe('The last 24, oldest first'),
  counted_at: Timestamp.nullable().describe(
    'When the past hours were counted; the current hour is always up to date',
  ),
  stuck: z.object({
    count: count.describe(
      'Routes still open more than an hour after they were first due; counts to 10,000 at most',
    ),
    oldest_at: Timestamp.nullable(),
  }),
  due: z.object({
    count: count.describe('Routes that are due now and not sent yet; counts to 10,000 at most'),
    oldest_at: Timestamp.nullable().describe('Since when the first of them is due'),
  }),
  open_dead_letters: z.object({ count, oldest_at: Timestamp.nullable() }),
  open_system_events: z.object({
    count: count.describe('Counts to 10,000 at most'),
    by_severity: z.record(Severity, count),
  }),
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
    .describe('For intents accepted within the last hour'),
})
export type Overview = z.infer<typeof Overview>

export const MetricSeriesQuery = z.strictObject({
  from: Timestamp.describe('From the hour or day on in which this time is'),
  to: Timestamp.describe('Up to this time, exclusively; the step that it is in is still whole'),
  step: z.enum(['hour', 'day']).default('hour'),
  zone: TimeZone.default('UTC').describe(
    'Whose days; hours are those of UTC, and one that two days share belongs to the day in which it begins',
  ),
  provider: z.string().max(50).optional(),
  channel: Channel.optional(),
  notification_type: z.string().max(100).optional(),
})
export type MetricSeriesQuery = z.infer<typeof MetricSeriesQuery>

/** Counts, and how long half and 95 percent of what was sent took at most. */
export const SeriesFigures = Counts.extend({
  p50_ms: count
    .nullable()
    .describe('From when it was due until it was sent; exact to 19 percent, usually to a few'),
  p95_ms: count.nullable(),
})
export type SeriesFigures = z.infer<typeof SeriesFigures>

export const MetricSeries = z.object({
  step: z.enum(['hour', 'day']),
  from: Timestamp.describe('The beginning of the first step'),
  to: Timestamp.describe('The end of the last step'),
  points: z
    .array(SeriesFigures.extend({ at: Timestamp.describe('When the step begins') }))
    .max(1000)
    .describe('Every step, oldest first, also those in which nothing happened'),
  totals: SeriesFigures,
})
export type MetricSeries = z.infer<typeof MetricSeries>
