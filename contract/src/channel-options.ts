/** What an intent says about its messages on one channel, beside the payload that all of them share. */
import { z } from 'zod'
import { EmailAddress, Name } from './common.ts'

/** Of all attachments of an intent together, decoded: every mail service accepts that much once it is encoded. */
export const MAX_ATTACHMENT_BYTES = 5 * 1024 * 1024
export const MAX_ATTACHMENTS = 10

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const Attachment = z.strictObject({
  filename: Name(200).regex(/^[^/\\]*[^/\\ .][^/\\]*$/, 'Expected a name without a path.'),
  content_type: z
    .string()
    .max(100)
    // What consists of parts has no encoding of its own: as Base64, no mail program could read it.
    .regex(
      /^(?!multipart\/|message\/(?!rfc822$))[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/,
      'Expected a media type such as application/pdf.',
    ),
  content: z
    .string()
    .refine(text => text.length % 4 === 0 && BASE64.test(text), 'Expected Base64.')
    .describe('Base64; 5 MiB at most for all attachments together, decoded'),
})
export type Attachment = z.infer<typeof Attachment>

const copies = z.array(EmailAddress).min(1).max(10)

export const EmailOptions = z.strictObject({
  reply_to: EmailAddress.optional().describe('Where replies go; replaces that of the provider'),
  cc: copies.optional().describe('Also get the mail; needs an audience of one person or address'),
  bcc: copies.optional().describe('Like cc, without being seen by the others'),
  preheader: Name(200).optional().describe('What mail programs show after the subject in their lists'),
  attachments: z.array(Attachment).min(1).max(MAX_ATTACHMENTS).optional(),
})
export type EmailOptions = z.infer<typeof EmailOptions>

const media = z
  .array(
    z
      .string()
      .max(2000)
      .regex(/^https:\/\/[A-Za-z0-9.-]+(:[0-9]+)?(\/[!-~]*)?$/, 'Expected an https URL.'),
  )
  .min(1)
  .max(10)

export const SmsOptions = z.strictObject({
  media: media
    .optional()
    .describe('Pictures and the like, fetched by the service; as links where it has no MMS'),
})
export type SmsOptions = z.infer<typeof SmsOptions>

export const ChatOptions = z.strictObject({
  media: media.optional().describe('Only for WhatsApp'),
  content_sid: z
    .string()
    .regex(/^HX[0-9a-f]{32}$/, 'Expected HX and 32 hexadecimal digits.')
    .optional()
    .describe('Twilio’s content template for WhatsApp, which replaces the text'),
  content_variables: z
    .record(z.string().regex(/^[A-Za-z0-9_]{1,50}$/), z.string().max(1600))
    .optional()
    .describe('What the placeholders of the content template stand for, such as {"1": "Ada"}'),
})
export type ChatOptions = z.infer<typeof ChatOptions>

/** The options of a message's own channel, as they can be shown: without the contents of attachments. */
export const MessageOptions = z.object({
  reply_to: z.string().optional(),
  cc: z.array(z.string()).optional(),
  bcc: z.array(z.string()).optional(),
  preheader: z.string().optional(),
  attachments: z
    .array(z.object({ filename: z.string(), content_type: z.string(), bytes: z.number().int() }))
    .optional(),
  media: z.array(z.string()).optional(),
  content_sid: z.string().optional(),
  content_variables: z.record(z.string(), z.string()).optional(),
})
export type MessageOptions = z.infer<typeof MessageOptions>
