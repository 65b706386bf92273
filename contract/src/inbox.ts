/** The inbox: what a person sees in the app, and what they do with it. */
import { z } from 'zod'
import { Name, PageOf, PageQuery, Timestamp } from './common.ts'

/** Whose inbox it is. */
const OfUser = {
  user_id: Name(200).optional().describe('Whose inbox; by default that of the key’s own user'),
}
export const InboxOwnerQuery = z.strictObject(OfUser)
export type InboxOwnerQuery = z.infer<typeof InboxOwnerQuery>

/** Which transactions a reader has seen, as `pg_current_snapshot()` writes it: numbers, colons and commas. */
export const InboxVersion = z
  .string()
  .max(8000)
  .regex(
    /^\d{1,18}:\d{1,18}:(?:\d{1,18}(?:,\d{1,18})*)?(?::[0-9a-f]{8})?$/,
    'Expected the version of an earlier answer, unchanged.',
  )
  .describe('What an answer has seen. Opaque: only give it back')

const Query = z
  .string()
  .max(500)
  .describe('The filter language: is:unread reason:mention -topic:docs "some words"')

export const InboxQuery = PageQuery.extend({ ...OfUser, q: Query.optional() })
export type InboxQuery = z.infer<typeof InboxQuery>

export const InboxAction = z.object({
  id: z.string(),
  label: z.string(),
  url: z.string().nullable().describe('Where the button leads; the answer is stored all the same'),
  event_kind: z.string().nullable().describe('The kind of the event that pressing it emits'),
})
export type InboxAction = z.infer<typeof InboxAction>

export const InboxItem = z.object({
  id: z.uuid(),
  is_for_everybody: z.boolean().describe('One row for the whole tenant, with a receipt per person'),
  notification_id: z.uuid().nullable().describe('The record it came from; null for events and for everybody'),
  type: z.string(),
  kind: z.string().describe('Of the last event; empty if none caused it'),
  reason: z.string().describe('Why this person has it, such as mention; empty if nobody said'),
  title: z.string(),
  message: z.string(),
  url: z.string().nullable(),
  topic: z.string().nullable(),
  thread: z.object({ kind: z.string(), id: z.string() }).nullable(),
  summary: z.record(z.string(), z.unknown()).describe('What a list shows besides: actors, icon, number'),
  event_count: z.number().int().describe('How many events it stands for'),
  last_event_at: Timestamp,
  last_actor_id: z.string().nullable(),
  actions: z.array(InboxAction),
  answer: z.object({ action: z.string(), answered_at: Timestamp }).nullable(),
  is_read: z.boolean(),
  read_at: Timestamp.nullable(),
  done_at: Timestamp.nullable(),
  saved_at: Timestamp.nullable(),
  snoozed_until: Timestamp.nullable(),
  expires_at: Timestamp.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type InboxItem = z.infer<typeof InboxItem>

export const InboxPage = PageOf(InboxItem).extend({ version: InboxVersion })
export type InboxPage = z.infer<typeof InboxPage>

export const UnreadCount = z.object({ unread: z.number().int(), version: InboxVersion })
export type UnreadCount = z.infer<typeof UnreadCount>

export const InboxChangesQuery = z.strictObject({ ...OfUser, since: InboxVersion })
export type InboxChangesQuery = z.infer<typeof InboxChangesQuery>

export const InboxChanges = UnreadCount.extend({
  reset: z
    .boolean()
    .describe('Too much has changed, or the version is of another database: read the list again'),
  changed: z.array(InboxItem),
  removed: z.array(z.uuid()).describe('Hidden, expired or taken back since then'),
})
export type InboxChanges = z.infer<typeof InboxChanges>

const seen_version = InboxVersion.optional().describe(
  'The version of the answer that the person looked at: what an event has changed since stays as it is',
)
export const InboxActionInput = z.strictObject({ seen_version })
export type InboxActionInput = z.infer<typeof InboxActionInput>

export const SnoozeInput = z.strictObject({ until: Timestamp, seen_version })
export type SnoozeInput = z.infer<typeof SnoozeInput>

/** What a person can do with a row. Each may be repeated, and then changes nothing more. */
export const INBOX_ACTIONS = [
  'read',
  'unread',
  'done',
  'undone',
  'save',
  'unsave',
  'unsnooze',
  'hide',
] as const
export type InboxActionName = (typeof INBOX_ACTIONS)[number]

export const BulkActionInput = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.enum(INBOX_ACTIONS),
    ids: z.array(z.uuid()).min(1).max(100),
    seen_version,
  }),
  z.strictObject({
    action: z.literal('snooze'),
    until: Timestamp,
    ids: z.array(z.uuid()).min(1).max(100),
    seen_version,
  }),
])
export type BulkActionInput = z.infer<typeof BulkActionInput>

export const BulkActionResult = UnreadCount.extend({
  changed: z.array(InboxItem).describe('As they are now; hidden ones are left out'),
  missing: z.array(z.uuid()).describe('Ids that this person does not have'),
})
export type BulkActionResult = z.infer<typeof BulkActionResult>

export const ReadAllInput = z.strictObject({
  q: Query.optional().describe('Only what matches'),
  seen_version,
})
export type ReadAllInput = z.infer<typeof ReadAllInput>

export const ReadAllResult = UnreadCount.extend({ read: z.number().int().describe('How many were unread') })
export type ReadAllResult = z.infer<typeof ReadAllResult>

export const AnswerInput = z.strictObject({ action: Name(64).describe('The id of the button') })
export type AnswerInput = z.infer<typeof AnswerInput>

export const InboxGroupQuery = PageQuery.extend({
  ...OfUser,
  by: z.enum(['topic', 'date']),
  q: Query.optional(),
})
export type InboxGroupQuery = z.infer<typeof InboxGroupQuery>

export const InboxGroup = z.object({
  key: z.string().describe('The topic, or the day in the person’s time zone; empty for what has no topic'),
  total: z.number().int(),
  unread: z.number().int(),
  last_event_at: Timestamp,
  query: z.string().describe('The filter that lists it'),
})
export type InboxGroup = z.infer<typeof InboxGroup>
