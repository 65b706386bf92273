/** Categories: what people switch on and off together, as their preference page shows it. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Name, Timestamp } from './common.ts'

/** As types and preferences name it. */
export const CategoryKey = Name(50)

/** Of a type: what nobody could read, or switch off on their page, is no category. */
export const TypeCategory = CategoryKey.regex(/\S/, 'Expected a name.').refine(
  // No object of preferences can have it as a key.
  name => name !== '__proto__',
  'Expected another name.',
)

export const CategoryInput = z.strictObject({
  name: z
    .union([z.literal(''), Name(100)])
    .default('')
    .describe('What people read; empty = made from the category itself'),
  description: z.string().max(1000).default('').describe('What messages it is about, for people'),
  required: z
    .boolean()
    .default(false)
    .describe('People always get it: neither they nor the defaults can switch it off, and caps do not apply'),
  position: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(0)
    .describe('Where it is listed: lower ones first, equal ones by category'),
})
export type CategoryInput = z.input<typeof CategoryInput>

export const CategoryChanges = ChangesOf(CategoryInput)
export type CategoryChanges = z.input<typeof CategoryChanges>

export const Category = CategoryInput.extend({
  category: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Category = z.infer<typeof Category>
