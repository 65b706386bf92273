/** Translations: a tenant's texts by language. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

const MessageKey = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9_.-]+$/, 'Expected letters, digits and . _ -')
const MessageText = z.string().max(5000)

export const TranslationsInput = z.strictObject({
  messages: z.record(MessageKey, MessageText).describe('Key → MessageFormat 2'),
})
export type TranslationsInput = z.input<typeof TranslationsInput>

export const TranslationsChanges = z.strictObject({
  messages: z
    .record(MessageKey, MessageText.nullable())
    .optional()
    .describe('Key → MessageFormat 2; null removes the message, and those that are not mentioned stay'),
})
export type TranslationsChanges = z.infer<typeof TranslationsChanges>

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
