/** Caps: how many messages a person gets on a channel per hour, day or week of their own clock. */
import { z } from 'zod'
import { Name } from './common.ts'

export const Cap = z.strictObject({
  per: z
    .enum(['hour', 'day', 'week'])
    .describe('Of the person’s own calendar: from the full hour, midnight or Monday on'),
  max: z.number().int().min(1).max(1_000_000),
  category: Name(50).optional().describe('Only messages of this category; all of the channel unless given'),
  over: z
    .enum(['skip', 'digest'])
    .default('skip')
    .describe(
      'What comes after max: skip = not sent; digest = sent as one per type when the next period begins',
    ),
})
export type Cap = z.infer<typeof Cap>

const MAX_CAPS = 20

export const Caps = z
  .array(Cap)
  .max(MAX_CAPS)
  .superRefine((caps, context) => {
    for (const [i, { per, category }] of caps.entries()) {
      const first = caps.findIndex(other => other.per === per && other.category === category)
      if (first < i)
        context.addIssue({ code: 'custom', path: [i], message: 'There is another cap for the same.' })
    }
  })
