/** Sends mail through Mailgun's messages API. */
import { z } from 'zod'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { writeForm } from './mail-form.ts'
import { idsOf, mailHeaders, mailOptions, recipientOf, rfcMessageId, WRONG_ENDPOINT } from './mail-parts.ts'
import { endpoint, mailConfig } from './mail-settings.ts'
import { mailgunCallback } from './mailgun-callback.ts'

const REGIONS = { us: 'https://api.mailgun.net', eu: 'https://api.eu.mailgun.net' }

export const mailgun: ProviderKind = defineHttpProvider({
  name: 'mailgun',
  title: 'Mailgun',
  channels: ['email'],
  config: mailConfig.extend({
    domain: z.hostname().describe('The sending domain, as registered with Mailgun.'),
    region: z.enum(['us', 'eu']).default('us'),
  }),
  secrets: z.strictObject({
    api_key: token,
    signing_key: token.optional().describe('The HTTP webhook signing key; reports are refused without it.'),
  }),
  callback: mailgunCallback,

  async request(message, { config, secrets }) {
    const { from, domain, region, base_url } = config
    const { replyTo, cc, bcc, files } = mailOptions(message, config.reply_to)
    const headers = {
      ...mailHeaders(message),
      'Message-Id': rfcMessageId(message, from),
      ...(replyTo && { 'Reply-To': replyTo }),
    }
    const form = await writeForm(
      {
        from,
        to: recipientOf(message),
        ...(cc && { cc: cc.join(',') }),
        ...(bcc && { bcc: bcc.join(',') }),
        subject: message.subject,
        text: message.text,
        ...(message.html !== null && { html: message.html }),
        ...prefixed('h:', headers),
        ...prefixed('v:', idsOf(message)),
      },
      files,
    )
    return {
      method: 'POST',
      url: endpoint(base_url, REGIONS[region], `/v3/${domain}/messages`),
      headers: {
        accept: 'application/json',
        'content-type': form.contentType,
        authorization: `Basic ${Buffer.from(`api:${secrets.api_key}`).toString('base64')}`,
      },
      body: form.body,
    }
  },

  messageId: answer => jsonIn(answer, 'id'),

  ask: {
    request(message, { config, secrets }) {
      const { from, domain, region, base_url } = config
      const id = encodeURIComponent(rfcMessageId(message, from).slice(1, -1))
      return {
        method: 'GET',
        url: endpoint(base_url, REGIONS[region], `/v3/${domain}/events?message-id=${id}&limit=1`),
        headers: {
          accept: 'application/json',
          authorization: `Basic ${Buffer.from(`api:${secrets.api_key}`).toString('base64')}`,
        },
      }
    },
    hasMessage(answer) {
      if (jsonIn(answer, 'items', 0, 'event') !== undefined) return true
      return /"items"\s*:\s*\[\s*\]/.test(answer.body) ? false : undefined
    },
    // Events come in late and out of order; Mailgun calls those of the last half hour not yet reliable.
    settlesAfterMs: 30 * 60_000,
  },

  rules: [
    { status: 402, then: 'config' },
    { status: 400, body: /\bto\b'? parameter is not a valid address/, then: 'suppress', reason: 'invalid' },
    { status: 400, body: /\bfrom\b'? parameter is not a valid address/, then: 'config' },
    WRONG_ENDPOINT,
  ],
})

/** Headers and variables are form fields like any other, distinguished by the prefix of their names. */
function prefixed(prefix: string, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]))
}
