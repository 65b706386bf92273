/** Topics for the rooms that name them, and how the API shows them. */
import type { Topic, TopicMember } from '@carillon/contract'
import { notFound } from '../../platform/calls/refusal.ts'
import type { TopicMemberRow, TopicRow } from './queries.ts'

export const noTopic = (topic: string) => notFound(`topic "${topic}"`)
export const noMember = (topic: string, userId: string) => notFound(`member "${userId}" of "${topic}"`)

export function toTopic(row: TopicRow): Topic {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

export function toMember(row: TopicMemberRow): TopicMember {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}
