/** Sends mail through Resend. */
import { z } from 'zod'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { idsOf, mailHeaders, mailOptions, recipientOf, toTag, WRONG_ENDPOINT } from './mail-parts.ts'
import { endpoint, mailConfig } from './mail-settings.ts'
import { resendCallback } from './resend-callback.ts'

export const resend: ProviderKind = defineHttpProvider({
  name: 'resend',
  title: 'Resend',
  channels: ['email'],
  config: mailConfig,
  secrets: z.strictObject({
    api_key: token,
    webhook_secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/=]+$/, { error: 'expected the signing secret, which begins with whsec_' })
      .optional()
      .describe('The signing secret of the webhook; reports are refused without it.'),
  }),
  callback: resendCallback,

  request(message, { config, secrets }) {
    const { replyTo, cc, bcc, files } = mailOptions(message, config.reply_to)
    return {
      method: 'POST',
      url: endpoint(config.base_url, 'https://api.resend.com', '/emails'),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${secrets.api_key}`,
        // Within a day a repeat gets the first answer and no second mail goes out.
        'idempotency-key': message.message_id,
      },
      // No Message-ID: Resend makes its own.
      body: JSON.stringify({
        from: config.from,
        to: [recipientOf(message)],
        ...(cc && { cc }),
        ...(bcc && { bcc }),
        ...(replyTo && { reply_to: replyTo }),
        subject: message.subject,
        text: message.text,
        ...(message.html !== null && { html: message.html }),
        headers: mailHeaders(message),
        ...(files.length > 0 && {
          attachments: files.map(({ filename, content_type, content }) => ({
            filename,
            content: content.toString('base64'),
            content_type,
          })),
        }),
        tags: Object.entries(idsOf(message)).map(([name, id]) => ({ name, value: toTag(id) })),
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'id'),

  rules: [
    // The first attempt is still in progress at Resend. The other 409, a key used with different content, stays
    // permanent: a person has to look up whether the first one went out.
    { status: 409, body: /concurrent_idempotent_requests/, then: 'retry', fault: 'message' },
    { status: 429, body: /monthly_quota_exceeded/, then: 'config' },
    { status: [400, 422], body: /Invalid `to` field/i, then: 'suppress', reason: 'invalid' },
    { status: [400, 422], body: /invalid_from_address|Invalid `(from|reply_to)` field/i, then: 'config' },
    WRONG_ENDPOINT,
  ],
})
