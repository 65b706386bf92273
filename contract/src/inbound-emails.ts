/** Inbound emails: mails that a mail server passes on, for triggers of the kind email and as replies to threads. */
import { z } from 'zod'
import { Name } from './common.ts'
import { ThreadRef } from './intents.ts'

export const MAX_INBOUND_EMAIL_BYTES = 10 * 1024 * 1024

const Recipient = Name(320)
export const InboundEmailQuery = z.strictObject({
  to: z
    .union([Recipient, z.array(Recipient).max(100)])
    .optional()
    .describe(
      'An address of the envelope; may be repeated. Without it, those of To, Cc and Delivered-To count',
    ),
})
export type InboundEmailQuery = z.infer<typeof InboundEmailQuery>

export const InboundEmail = z.strictObject({
  raw: z
    .string()
    .min(1)
    .describe('The mail as it arrived, of at most 10 MiB: headers, an empty line, the body'),
})
export type InboundEmail = z.infer<typeof InboundEmail>

export const EmailReply = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('accepted'),
    event_id: z.uuid(),
    duplicate: z.boolean().describe('true if the same mail came before'),
    user_id: z.string().describe('Who wrote it'),
    thread: ThreadRef,
  }),
  z.object({
    status: z.literal('ignored'),
    reason: z
      .enum(['automatic', 'empty'])
      .describe('automatic = an absence note or a bounce; empty = nothing but what it quotes'),
  }),
])
export type EmailReply = z.infer<typeof EmailReply>

export const InboundEmailAnswer = z.object({
  matched: z.number().int().describe('How many triggers it fired'),
  replies: z
    .array(EmailReply)
    .optional()
    .describe('What became of it as a reply; absent if it was sent to no reply address'),
})
export type InboundEmailAnswer = z.infer<typeof InboundEmailAnswer>
