/** Topics: what threads belong to and people watch, such as a repository, a project or an account. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Name, PageAddress, PageQuery, Timestamp } from './common.ts'

export const TopicName = Name(200)
export const VISIBILITIES = ['public', 'private'] as const

export const TopicInput = z.strictObject({
  title: z.string().max(500).default('').describe('What people read; empty = the topic itself'),
  url: z.union([z.literal(''), PageAddress.max(500)]).default(''),
  visibility: z
    .enum(VISIBILITIES)
    .default('public')
    .describe('private = only members are told what happens in it'),
})
export type TopicInput = z.input<typeof TopicInput>

export const TopicChanges = ChangesOf(TopicInput)
export type TopicChanges = z.input<typeof TopicChanges>

export const Topic = z.object({
  topic: z.string(),
  title: z.string(),
  url: z.string(),
  visibility: z.enum(VISIBILITIES),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Topic = z.infer<typeof Topic>

export const TopicWithWatchers = Topic.extend({
  watchers: z.number().int().describe('Who watches it at any level but ignore'),
})
export type TopicWithWatchers = z.infer<typeof TopicWithWatchers>

export const MEMBER_ROLES = ['member', 'owner'] as const

export const TopicMemberInput = z.strictObject({
  role: z.enum(MEMBER_ROLES).default('member').describe('owners stand in the relation owner to what happens'),
  watch: z
    .boolean()
    .default(true)
    .describe('Whether a person who has no watch on the topic gets one at level all'),
})
export type TopicMemberInput = z.input<typeof TopicMemberInput>

export const TopicMember = z.object({
  topic: z.string(),
  user_id: z.string(),
  role: z.enum(MEMBER_ROLES),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type TopicMember = z.infer<typeof TopicMember>

export const TopicQuery = PageQuery
export type TopicQuery = z.input<typeof TopicQuery>
