/** Sends mail through SendGrid's v3 Mail Send API. */
import { z } from 'zod'
import { defineHttpProvider } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { idsOf, mailHeaders, mailOptions, recipientOf, rfcMessageId, WRONG_ENDPOINT } from './mail-parts.ts'
import { endpoint, mailConfig, parseMailbox } from './mail-settings.ts'
import { isSendgridPublicKey, sendgridCallback } from './sendgrid-callback.ts'

export const sendgrid: ProviderKind = defineHttpProvider({
  name: 'sendgrid',
  title: 'SendGrid',
  channels: ['email'],
  config: mailConfig.extend({
    webhook_public_key: z
      .string()
      .refine(isSendgridPublicKey, { error: 'expected the verification key as SendGrid shows it' })
      .optional()
      .describe('The verification key of the signed event webhook; reports are refused without it.'),
  }),
  secrets: z.strictObject({ api_key: token }),
  callback: sendgridCallback,

  request(message, { config, secrets }) {
    const { replyTo, cc, bcc, files } = mailOptions(message, config.reply_to)
    const bodies = [
      { type: 'text/plain', value: message.text },
      { type: 'text/html', value: message.html ?? '' },
    ]
    return {
      method: 'POST',
      url: endpoint(config.base_url, 'https://api.sendgrid.com', '/v3/mail/send'),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${secrets.api_key}`,
      },
      body: JSON.stringify({
        personalizations: [
          {
            to: [{ email: recipientOf(message) }],
            ...(cc && { cc: cc.map(email => ({ email })) }),
            ...(bcc && { bcc: bcc.map(email => ({ email })) }),
          },
        ],
        from: toPerson(config.from),
        ...(replyTo && { reply_to: toPerson(replyTo) }),
        subject: message.subject,
        // Empty contents are refused.
        content: bodies.filter(({ value }) => value !== ''),
        headers: { ...mailHeaders(message), 'Message-ID': rfcMessageId(message, config.from) },
        custom_args: idsOf(message),
        ...(files.length > 0 && {
          attachments: files.map(({ filename, content_type, content }) => ({
            content: content.toString('base64'),
            type: content_type,
            filename,
            disposition: 'attachment',
          })),
        }),
      }),
    }
  },

  messageId: answer => answer.headers['x-message-id'],

  rules: [
    // "You are temporarily blocked from sending emails due to repeated bad requests."
    { status: 403, body: /temporarily blocked/i, then: 'rate_limited' },
    { status: 400, body: /"field"\s*:\s*"personalizations\.0\.to\b/, then: 'suppress', reason: 'invalid' },
    { status: 400, body: /"field"\s*:\s*"(from|reply_to)\b/, then: 'config' },
    WRONG_ENDPOINT,
  ],
})

function toPerson(text: string): { email: string; name?: string } {
  const { name, address } = parseMailbox(text)
  return { email: address, ...(name && { name }) }
}
