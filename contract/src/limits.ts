/** Limits: whether something may be tried once more. */
import { z } from 'zod'
import { Name, Timestamp } from './common.ts'

export const LimitCheck = z.strictObject({
  key: Name(500).describe(
    'What is tried and for whom, such as auth:password-reset:ada@example.com:tries; addresses in it are normalised',
  ),
  limit: z.number().int().min(1).max(1_000_000).default(5).describe('Maximum tries within the window'),
  window_seconds: z.number().int().min(1).max(31_536_000).default(3600).describe('Starts with the first try'),
})
export type LimitCheck = z.input<typeof LimitCheck>

export const LimitAnswer = z.object({
  allowed: z.boolean().describe('true: go ahead; this try has been counted'),
  limit: z.number().int(),
  remaining: z.number().int(),
  resets_at: Timestamp.describe('When the count starts again'),
})
export type LimitAnswer = z.infer<typeof LimitAnswer>
