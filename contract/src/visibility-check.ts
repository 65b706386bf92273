/** The address of a tenant's own server that says who may see what. */
import { z } from 'zod'
import { ChangesOf } from './changes.ts'
import { Timestamp } from './common.ts'
import { SigningSecret, WebhookUrl } from './webhooks.ts'

export const VisibilityCheckInput = z.strictObject({
  url: WebhookUrl.describe(
    'Asked with {"topic", "thread", "event_id", "user_ids"}; answers {"visible": [user ids]}',
  ),
  timeout_ms: z.number().int().min(100).max(10_000).default(2000),
  secret: SigningSecret.optional().describe('Left out: the one there is, or a new one'),
})
export type VisibilityCheckInput = z.input<typeof VisibilityCheckInput>

export const VisibilityCheckChanges = ChangesOf(VisibilityCheckInput)
export type VisibilityCheckChanges = z.input<typeof VisibilityCheckChanges>

export const VisibilityCheck = z.object({
  url: z.string(),
  timeout_ms: z.number().int(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type VisibilityCheck = z.infer<typeof VisibilityCheck>

export const PutVisibilityCheck = VisibilityCheck.extend({
  secret: z.string().nullable().describe('A new one, shown this once; null if it stayed the same'),
})
export type PutVisibilityCheck = z.infer<typeof PutVisibilityCheck>

/** What the server is asked. */
export const VisibilityQuestion = z.strictObject({
  topic: z.string().nullable(),
  thread: z.object({ kind: z.string(), id: z.string() }).nullable(),
  event_id: z.uuid().nullable().describe('null if somebody wants to subscribe to the thread'),
  user_ids: z.array(z.string()),
})
export type VisibilityQuestion = z.infer<typeof VisibilityQuestion>

export const VisibilityAnswer = z.object({
  visible: z.array(z.string()).describe('Those of the user_ids who may see it'),
})
export type VisibilityAnswer = z.infer<typeof VisibilityAnswer>
