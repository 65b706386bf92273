/** Translations: a tenant's texts by language. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

export const TranslationsInput = z.strictObject({
  messages: z
    .record(
      z
        .string()
        .max(200)
        .regex(/^[A-Za-z0-9_.-]+$/, 'Expected letters, digits and . _ -'),
      z.string().max(5000),
    )
    .describe('Key → MessageFormat 2'),
})
export type TranslationsInput = z.input<typeof TranslationsInput>

export const Translations = z.object({
  locale: z.string(),
  messages: z.record(z.string(), z.string()),
  updated_at: Timestamp,
})
export type Translations = z.infer<typeof Translations>

export const TranslationsSummary = z.object({
  locale: z.string(),
  keys: z.number().int(),
  updated_at: Timestamp,
})
export type TranslationsSummary = z.infer<typeof TranslationsSummary>
