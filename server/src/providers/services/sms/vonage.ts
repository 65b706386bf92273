/**
 * Vonage (formerly Nexmo), through its Messages API. This is the API that Vonage still extends, and it answers failures
 * with proper statuses, while the older SMS API answers 200 to everything.
 */
import { z } from 'zod'
import { baseUrl } from '../base-url.ts'
import { defineHttpProvider, type ErrorClass, type ErrorRule, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { smsText } from './sms-text.ts'

/** Vonage refuses longer messages. */
const MAX_TEXT_LENGTH = 1000

export const vonage: ProviderKind = defineHttpProvider({
  name: 'vonage',
  title: 'Vonage',
  channels: ['sms'],
  config: z.strictObject({
    api_key: z.string().min(1),
    from: z.string().min(1).describe('A number without + or a sender name'),
    base_url: baseUrl('https://api.nexmo.com'),
  }),
  secrets: z.strictObject({ api_secret: token }),

  request(message, { config, secrets }) {
    return {
      method: 'POST',
      url: `${config.base_url}/v1/messages`,
      headers: {
        // Basic instead of a JWT: a JWT is only needed for Vonage's webhooks, which we do not read.
        authorization: `Basic ${Buffer.from(`${config.api_key}:${secrets.api_secret}`).toString('base64')}`,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({
        channel: 'sms',
        message_type: 'text',
        to: withoutPlus(message.address),
        from: withoutPlus(config.from),
        text: smsText(message, MAX_TEXT_LENGTH),
        client_ref: message.message_id,
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'message_uuid'),

  rules: [
    // 1000 throttled, 1241 too many messages to these numbers.
    code([1000, 1241], 'rate_limited'),
    // 1030 internal error, 1100 communication failed.
    code([1030, 1100], 'retry'),
    { ...code([1240], 'suppress'), reason: 'unsubscribed' },
    // 1050 barred, 1170 invalid number, 1190 no longer in use.
    { ...code([1050, 1170, 1190], 'suppress'), reason: 'invalid' },
    // 1060 account barred, 1070 no credit, 1080 not enabled, 1120 sender refused, 1140 not allowed, 1160 not on the list.
    code([1060, 1070, 1080, 1120, 1140, 1160], 'config'),
    // 402 low balance, 404 wrong base URL.
    { status: [402, 404], then: 'config' },
  ],
})

/** Errors are problem details whose type is the URL of their explanation: …/api-errors/messages#1000. */
function code(codes: number[], then: ErrorClass): ErrorRule {
  return { body: new RegExp(`"type":\\s*"[^"]*/api-errors/messages[^"#]*#(${codes.join('|')})"`), then }
}

/** Vonage expects E.164 without the plus. */
function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}
