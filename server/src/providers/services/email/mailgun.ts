/** Sends mail through Mailgun's messages API. */
import { z } from 'zod'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { idsOf, mailHeaders, recipientOf, rfcMessageId, WRONG_ENDPOINT } from './mail-parts.ts'
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

  request(message, { config, secrets }) {
    const { from, reply_to, domain, region, base_url } = config
    const headers = {
      ...mailHeaders(message),
      'Message-Id': rfcMessageId(message, from),
      ...(reply_to && { 'Reply-To': reply_to }),
    }
    return {
      method: 'POST',
      url: endpoint(base_url, REGIONS[region], `/v3/${domain}/messages`),
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`api:${secrets.api_key}`).toString('base64')}`,
      },
      body: new URLSearchParams({
        from,
        to: recipientOf(message),
        subject: message.subject,
        text: message.text,
        ...(message.html !== null && { html: message.html }),
        ...prefixed('h:', headers),
        ...prefixed('v:', idsOf(message)),
      }).toString(),
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
    hasMessage: answer => jsonIn(answer, 'items', 0, 'event') !== undefined,
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
