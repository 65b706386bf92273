/** Sends mail through Postmark's email API. */
import { z } from 'zod'
import { defineHttpProvider, type ErrorClass, type ErrorRule, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { password, token } from '../secret-text.ts'
import { idsOf, mailHeaders, mailOptions, recipientOf, rfcMessageId, WRONG_ENDPOINT } from './mail-parts.ts'
import { endpoint, mailConfig } from './mail-settings.ts'
import { postmarkCallback } from './postmark-callback.ts'

export const postmark: ProviderKind = defineHttpProvider({
  name: 'postmark',
  title: 'Postmark',
  channels: ['email'],
  config: mailConfig.extend({
    message_stream: z.string().min(1).default('outbound'),
  }),
  secrets: z.strictObject({
    server_token: token,
    callback_token: password
      .min(16)
      .optional()
      .describe('The password of the webhook URL (HTTP basic auth); reports are refused without it.'),
  }),
  callback: postmarkCallback,

  request(message, { config, secrets }) {
    const { replyTo, cc, bcc, files } = mailOptions(message, config.reply_to)
    const headers = {
      ...mailHeaders(message),
      'Message-ID': rfcMessageId(message, config.from),
      // Without it, Postmark replaces our id with its own.
      'X-PM-KeepID': 'true',
    }
    return {
      method: 'POST',
      url: endpoint(config.base_url, 'https://api.postmarkapp.com', '/email'),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'x-postmark-server-token': secrets.server_token,
      },
      body: JSON.stringify({
        From: config.from,
        To: recipientOf(message),
        ...(cc && { Cc: cc.join(',') }),
        ...(bcc && { Bcc: bcc.join(',') }),
        ...(replyTo && { ReplyTo: replyTo }),
        Subject: message.subject,
        TextBody: message.text,
        ...(message.html !== null && { HtmlBody: message.html }),
        MessageStream: config.message_stream,
        Metadata: idsOf(message),
        ...(files.length > 0 && {
          Attachments: files.map(({ filename, content_type, content }) => ({
            Name: filename,
            Content: content.toString('base64'),
            ContentType: content_type,
          })),
        }),
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'MessageID'),

  ask: {
    request(message, { config, secrets }) {
      const query = new URLSearchParams({
        count: '1',
        offset: '0',
        // Without it, Postmark searches in its default stream only.
        messagestream: config.message_stream,
        metadata_message_id: message.message_id,
      })
      return {
        method: 'GET',
        url: endpoint(config.base_url, 'https://api.postmarkapp.com', `/messages/outbound?${query}`),
        headers: { accept: 'application/json', 'x-postmark-server-token': secrets.server_token },
      }
    },
    hasMessage(answer) {
      const count = jsonIn(answer, 'TotalCount')
      return count === undefined ? undefined : Number(count) > 0
    },
    settlesAfterMs: 5 * 60_000,
  },

  // Nearly every failure is a 422, distinguished by the code in its body.
  rules: [
    { ...code([406], 'suppress'), reason: 'hard_bounce' },
    { body: /^(?=.*"ErrorCode"\s*:\s*300\b).*'To'/s, then: 'suppress', reason: 'invalid' },
    { body: /^(?=.*"ErrorCode"\s*:\s*300\b).*'(From|ReplyTo)'/s, then: 'config' },
    // No token, sender signature unknown or unconfirmed, out of credits, account pending or closed.
    code([10, 400, 401, 405, 412, 413], 'config'),
    { status: 422, body: /'MessageStream'|stream provided/i, then: 'config' },
    code([100], 'retry'),
    code([429], 'rate_limited'),
    WRONG_ENDPOINT,
  ],
})

function code(codes: number[], then: ErrorClass): ErrorRule {
  return { body: new RegExp(`"ErrorCode"\\s*:\\s*(${codes.join('|')})\\b`), then }
}
