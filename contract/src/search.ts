/** Search: where something is, by its id, its name or the beginning of it. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

export const SEARCH_KINDS = [
  'user',
  'record',
  'event',
  'dead_letter',
  'notification_type',
  'template',
  'provider',
  'webhook',
  'trigger',
  'script',
  'topic',
  'thread',
] as const
export const SearchKind = z.enum(SEARCH_KINDS)
export type SearchKind = z.infer<typeof SearchKind>

export const SearchQuery = z.strictObject({
  q: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .describe(
      'An id, an idempotency key, or the beginning of a name, a user id, a username or an email address',
    ),
})
export type SearchQuery = z.infer<typeof SearchQuery>

export const SearchResult = z.object({
  kind: SearchKind,
  id: z.string().describe('What the API calls it by; for a template its name, for a thread kind:id'),
  title: z.string(),
  subtitle: z.string(),
  at: Timestamp.nullable(),
})
export type SearchResult = z.infer<typeof SearchResult>

export const SearchAnswer = z.object({
  data: z.array(SearchResult).max(20).describe('Only what the key may read'),
})
export type SearchAnswer = z.infer<typeof SearchAnswer>
