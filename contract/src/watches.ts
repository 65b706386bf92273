/** Watches: who watches which topic, and at which level. */
import { z } from 'zod'
import { Name, Timestamp } from './common.ts'

export const WATCH_LEVELS = ['all', 'participating', 'ignore'] as const
const WatchKinds = z
  .array(Name(64))
  .max(100)
  .describe(
    'Kinds of events that the person is told of besides, as if watching at level all; not with ignore',
  )

export const WatchInput = z.strictObject({
  user_id: Name(200),
  level: z.enum(WATCH_LEVELS).default('all'),
  kinds: WatchKinds.default([]),
})
export type WatchInput = z.input<typeof WatchInput>

export const WatchChanges = z.strictObject({
  user_id: Name(200),
  level: z.enum(WATCH_LEVELS).optional(),
  kinds: WatchKinds.optional(),
})
export type WatchChanges = z.infer<typeof WatchChanges>

export const Watch = z.object({
  topic: z.string(),
  user_id: z.string(),
  level: z.enum(WATCH_LEVELS),
  kinds: z.array(z.string()),
  is_automatic: z.boolean().describe('Made because the person joined the topic or took part in a thread'),
  updated_at: Timestamp,
})
export type Watch = z.infer<typeof Watch>
