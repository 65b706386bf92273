/** Captured messages: stored instead of being sent. */
import { z } from 'zod'
import { MessageOptions } from './channel-options.ts'
import { Channel, PageQuery, Timestamp } from './common.ts'

export const CapturedMessage = z.object({
  message_id: z.string(),
  notification_id: z.uuid(),
  route_id: z.string(),
  channel: Channel,
  notification_type: z.string(),
  recipient_ref: z.string(),
  address: z.string(),
  locale: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().nullable(),
  options: MessageOptions.nullable().describe('What the intent says about its messages on this channel'),
  captured_at: Timestamp,
})
export type CapturedMessage = z.infer<typeof CapturedMessage>

export const CapturedMessageQuery = PageQuery.extend({
  notification_id: z.uuid().optional(),
  channel: Channel.optional(),
})
export type CapturedMessageQuery = z.infer<typeof CapturedMessageQuery>
