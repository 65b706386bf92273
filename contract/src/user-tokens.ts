/** User tokens: what a person's browser has instead of an API key. */
import { z } from 'zod'
import { Timestamp } from './common.ts'

export const UserTokenInput = z.strictObject({
  ttl_seconds: z.number().int().min(1).max(86_400).default(3600).describe('How long it works'),
})
export type UserTokenInput = z.input<typeof UserTokenInput>

export const UserToken = z.object({
  token: z.string().describe('Reaches this person’s inbox, preferences and subscriptions, and nothing else'),
  expires_at: Timestamp,
})
export type UserToken = z.infer<typeof UserToken>

export const UserTokenEpoch = z.object({
  epoch: z.number().int().describe('Tokens of this epoch and the one before it work'),
  rotated_at: Timestamp.nullable(),
  void_before: Timestamp.nullable().describe('Tokens made until then work no more'),
})
export type UserTokenEpoch = z.infer<typeof UserTokenEpoch>
