/** Watches: who watches which topic, and at which level. */
import { z } from 'zod'
import { Name, Timestamp } from './common.ts'

export const WATCH_LEVELS = ['all', 'participating', 'ignore'] as const
export const WatchInput = z.strictObject({ user_id: Name(200), level: z.enum(WATCH_LEVELS).default('all') })
export type WatchInput = z.input<typeof WatchInput>

export const WatchChanges = z.strictObject({ user_id: Name(200), level: z.enum(WATCH_LEVELS).optional() })
export type WatchChanges = z.infer<typeof WatchChanges>

export const Watch = z.object({
  topic: z.string(),
  user_id: z.string(),
  level: z.enum(WATCH_LEVELS),
  updated_at: Timestamp,
})
export type Watch = z.infer<typeof Watch>
