/** Threads: what is being discussed, who takes part, and who follows it. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Name, PageAddress, PageQuery, Timestamp } from './common.ts'
import { RelationName } from './events.ts'
import { TopicName } from './topics.ts'

export const ThreadKind = Name(32).describe('One of the thread_kinds of the tenant')
export const ThreadId = Name(200)
export const ThreadInput = z.strictObject({
  topic: TopicName.nullable().default(null).describe('Made if it does not exist'),
  title: z.string().max(500).default(''),
  url: z.union([z.literal(''), PageAddress.max(500)]).default(''),
  author_id: Name(200).nullable().default(null),
})
export type ThreadInput = z.input<typeof ThreadInput>

export const ThreadChanges = ChangesOf(ThreadInput)
export type ThreadChanges = z.input<typeof ThreadChanges>

export const Thread = z.object({
  kind: z.string(),
  id: z.string(),
  topic: z.string().nullable(),
  title: z.string(),
  url: z.string(),
  author_id: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Thread = z.infer<typeof Thread>

export const ThreadQuery = PageQuery.extend({ topic: TopicName.optional() })
export type ThreadQuery = z.input<typeof ThreadQuery>

/** What follows from people's own choices cannot be given to them. */
export const ParticipantRelation = RelationName.refine(
  relation => relation !== 'subscribed' && relation !== 'watching',
  'People get this relation by subscribing or watching.',
)

export const Participant = z.object({
  relation: z.string(),
  user_id: z.string(),
  created_at: Timestamp,
})
export type Participant = z.infer<typeof Participant>

export const SUBSCRIPTION_REASONS = [
  'manual',
  'manual_unsubscribe',
  'email_one_click',
  'author',
  'assigned',
  'review_requested',
  'mention',
  'commenter',
] as const

export const SubscriptionInput = z.strictObject({
  user_id: Name(200),
  subscribed: z
    .boolean()
    .default(true)
    .describe('false = tell the person nothing of the thread but what passes a mute, such as a mention'),
})
export type SubscriptionInput = z.input<typeof SubscriptionInput>

export const Subscription = z.object({
  thread_kind: z.string(),
  thread_id: z.string(),
  user_id: z.string(),
  subscribed: z.boolean(),
  reason: z
    .enum(SUBSCRIPTION_REASONS)
    .describe(
      'manual, manual_unsubscribe and email_one_click are the person’s own choice; others are automatic',
    ),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Subscription = z.infer<typeof Subscription>
