/** KV: what scripts and applications remember, by collection and key. */
import { z } from 'zod'
import { AddressName, JsonValue, Name, PageQuery, Timestamp } from './common.ts'

export const MAX_KV_VALUE_BYTES = 65_536

export const KvCollectionName = AddressName

/** In an address it is percent-encoded, slashes too. */
export const KvKey = Name(512)
  .regex(/^(?!\.{1,2}$)/, 'It cannot be part of an address.')
  .refine(key => !/[\ud800-\udfff]/u.test(key), 'Unpaired surrogates are not allowed.')

export const KvEntryInput = z.strictObject({
  value: JsonValue.describe('Any JSON of up to 64 KiB, kept byte for byte'),
  ttl_seconds: z
    .number()
    .int()
    .min(1)
    .max(315_360_000)
    .optional()
    .describe('When it expires; without, it never does'),
  version: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe('Write only if the entry has this version; 0: only if there is none'),
})
export type KvEntryInput = z.input<typeof KvEntryInput>

const expectedTag = 'Expected one version in quotes, as in the header ETag, or *.'
/** Other headers are none of our business. */
export const KvWriteHeaders = z.looseObject({
  'if-match': z
    .string()
    .regex(/^(\*|"[1-9][0-9]{0,14}")$/, expectedTag)
    .optional()
    .describe('Only if the entry has this version, such as "7"; *: only if there is one'),
  'if-none-match': z
    .literal('*', 'Expected *: only if there is no entry.')
    .optional()
    .describe('Only if there is no entry'),
})
export type KvWriteHeaders = z.infer<typeof KvWriteHeaders>

export const KvEntrySummary = z.object({
  collection: z.string(),
  key: z.string(),
  version: z.number().int().describe('Grows with every write, and never returns'),
  bytes: z.number().int().describe('Of the value'),
  expires_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type KvEntrySummary = z.infer<typeof KvEntrySummary>

export const KvEntry = KvEntrySummary.extend({ value: z.unknown().describe('Any JSON, as it was written') })
export type KvEntry = z.infer<typeof KvEntry>

export const KvEntryQuery = PageQuery.extend({
  // It holds a whole key.
  cursor: z.string().max(3000).optional().describe('next_cursor of the previous page'),
  prefix: Name(512).or(z.literal('')).optional().describe('Only keys that start with it'),
})
export type KvEntryQuery = z.infer<typeof KvEntryQuery>

/** Larger collections are not counted to the end. */
export const MAX_COUNTED_ENTRIES = 10_000

export const KvCollection = z.object({
  collection: z.string(),
  entries: z.number().int().describe(`How many there are; ${MAX_COUNTED_ENTRIES} means that many or more`),
})
export type KvCollection = z.infer<typeof KvCollection>
