/** Filters that a person keeps under a name, as the tabs of an inbox. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Timestamp } from './common.ts'

export const MAX_SAVED_FILTERS = 50

export const SavedFilterInput = z.strictObject({
  query: z.string().min(1).max(500).describe('In the filter language of the inbox'),
  position: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('Lower ones first, equal ones by name'),
})
export type SavedFilterInput = z.input<typeof SavedFilterInput>

export const SavedFilterChanges = ChangesOf(SavedFilterInput)
export type SavedFilterChanges = z.input<typeof SavedFilterChanges>

export const SavedFilter = z.object({
  name: z.string(),
  query: z.string(),
  position: z.number().int(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type SavedFilter = z.infer<typeof SavedFilter>
