/** Members: which accounts belong to a tenant, and as what. */
import { z } from 'zod'
import { KeyRole } from './api-keys.ts'
import { Timestamp } from './common.ts'

export const Member = z.object({
  account_id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: KeyRole,
  created_at: Timestamp,
  last_seen_at: Timestamp.nullable().describe('When a session of the account was last used'),
})
export type Member = z.infer<typeof Member>

export const Members = z.object({ data: z.array(Member) })

export const MemberChange = z.strictObject({ role: KeyRole })
export type MemberChange = z.infer<typeof MemberChange>
