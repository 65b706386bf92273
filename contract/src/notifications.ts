/** Notifications for everybody: one row for the whole tenant, which each person reads and hides for themselves. */
import { z } from 'zod'
import { bytesOf, Name, PageAddress, PageQuery, Timestamp } from './common.ts'
import { InboxAction } from './inbox.ts'

/** A button. Pressing it stores the answer, and emits an event if a kind is given. */
export const InboxActionDefinition = z.strictObject({
  id: Name(64),
  label: Name(100).describe('What people read'),
  url: PageAddress.nullable().default(null),
  event_kind: Name(64).nullable().default(null),
})

export const InboxActionDefinitions = z
  .array(InboxActionDefinition)
  .max(5)
  .refine(actions => new Set(actions.map(({ id }) => id)).size === actions.length, 'Each id may occur once.')

export const NewNotification = z.strictObject({
  type: Name(100).describe('What it is about, such as maintenance'),
  title: Name(500),
  message: z
    .string()
    .default('')
    .refine(message => bytesOf(message) <= 4096, 'Expected at most 4096 bytes.'),
  url: PageAddress.optional(),
  actions: InboxActionDefinitions.default([]),
  expires_at: Timestamp.optional().describe('From then on nobody sees it'),
  idempotency_key: Name(255)
    .optional()
    .describe(
      'May also be sent as the Idempotency-Key header. A repeat gets 200 and what the first request made, until that is deleted',
    ),
})
export type NewNotification = z.input<typeof NewNotification>

export const Notification = z.object({
  id: z.uuid(),
  type: z.string(),
  title: z.string(),
  message: z.string(),
  url: z.string().nullable(),
  actions: z.array(InboxAction),
  expires_at: Timestamp.nullable(),
  created_at: Timestamp,
})
export type Notification = z.infer<typeof Notification>

export const NotificationQuery = PageQuery
export type NotificationQuery = z.infer<typeof NotificationQuery>
