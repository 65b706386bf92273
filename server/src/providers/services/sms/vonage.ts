/**
 * Vonage (formerly Nexmo), through its Messages API. This is the API that Vonage still extends, and it answers failures
 * with proper statuses, while the older SMS API answers 200 to everything.
 */
import { createPrivateKey, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import { baseUrl } from '../base-url.ts'
import { defineHttpProvider, type ErrorClass, type ErrorRule, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { isPrivateKey } from '../private-key.ts'
import { token } from '../secret-text.ts'
import { smsText, withMediaLinks } from './sms-text.ts'
import { vonageCallback } from './vonage-callback.ts'

/** Vonage refuses longer messages. */
const MAX_TEXT_LENGTH = 1000
const TOKEN_LIFETIME_SECONDS = 15 * 60

interface Settings {
  config: { api_key: string; application_id?: string | undefined }
  secrets: { api_secret: string; private_key?: string | undefined }
  now: () => number
}

export const vonage: ProviderKind = defineHttpProvider({
  name: 'vonage',
  title: 'Vonage',
  channels: ['sms'],
  config: z.strictObject({
    api_key: z.string().min(1),
    from: z.string().min(1).describe('A number without + or a sender name'),
    application_id: z
      .uuid()
      .optional()
      .describe('Authenticates as this application, together with private_key; needed for reports.'),
    base_url: baseUrl('https://api.nexmo.com'),
  }),
  secrets: z.strictObject({
    api_secret: token,
    private_key: z
      .string()
      .refine(pem => isPrivateKey(pem, 'rsa'), 'expected an RSA private key in PEM form')
      .optional()
      .describe('That of the application.'),
    signature_secret: token
      .optional()
      .describe('The signature secret of the account; reports are refused without it.'),
  }),
  callback: vonageCallback,

  async request(message, settings) {
    const { config, secrets, callbackUrl } = settings
    return {
      method: 'POST',
      url: `${config.base_url}/v1/messages`,
      headers: {
        authorization: await authorization(settings),
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({
        ...contentOf(message, config.from),
        to: withoutPlus(message.address),
        from: withoutPlus(config.from),
        client_ref: message.message_id,
        // Reports that cannot be verified would only be refused.
        ...(callbackUrl && secrets.signature_secret && { webhook_url: callbackUrl, webhook_version: 'v1' }),
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

/**
 * An MMS has one picture, comes from a number and reaches the United States and Canada. Everything else are links in the text.
 */
function contentOf(message: Message, from: string): object {
  const [url, ...others] = message.options?.media ?? []
  const isMms = AMERICAN.test(message.address) && /^\+?\d+$/.test(from)
  if (isMms && url !== undefined && others.length === 0 && PICTURE.test(url))
    return {
      channel: 'mms',
      message_type: 'image',
      image: { url, caption: smsText(message, MAX_TEXT_LENGTH) },
    }
  const text = smsText(withMediaLinks(message, MAX_TEXT_LENGTH), MAX_TEXT_LENGTH)
  return { channel: 'sms', message_type: 'text', text }
}
const PICTURE = /\.(jpe?g|png|gif)([?#]|$)/i
const AMERICAN = /^\+1\d{10}$/

/** Vonage reports only about messages of an application, which needs a token; key and secret are enough to send. */
async function authorization({ config, secrets, now }: Settings): Promise<string> {
  const { application_id, api_key } = config
  if (application_id === undefined || secrets.private_key === undefined)
    return `Basic ${Buffer.from(`${api_key}:${secrets.api_secret}`).toString('base64')}`
  const seconds = Math.floor(now() / 1000)
  const signed = new SignJWT({ application_id, jti: randomUUID() })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + TOKEN_LIFETIME_SECONDS)
  return `Bearer ${await signed.sign(createPrivateKey(secrets.private_key))}`
}

/** Errors are problem details whose type is the URL of their explanation: …/api-errors/messages#1000. */
function code(codes: number[], then: ErrorClass): ErrorRule {
  return { body: new RegExp(`"type":\\s*"[^"]*/api-errors/messages[^"#]*#(${codes.join('|')})"`), then }
}

/** Vonage expects E.164 without the plus. */
function withoutPlus(number: string): string {
  return number.replace(/^\+/, '')
}
