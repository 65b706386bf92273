/** Twilio Programmable Messaging: one form per message to the Messages resource. */
import { z } from 'zod'
import { baseUrl } from '../base-url.ts'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { smsText } from './sms-text.ts'
import { twilioCallback } from './twilio-callback.ts'

/** Twilio refuses longer messages (error 21617). */
const MAX_BODY_LENGTH = 1600

const config = z
  .strictObject({
    account_sid: z.string().regex(/^AC[0-9a-f]{32}$/, 'Expected AC and 32 hexadecimal digits.'),
    from: z
      .string()
      .min(1)
      .optional()
      .describe('A number such as +15557122661, a short code or a sender name'),
    messaging_service_sid: z
      .string()
      .startsWith('MG')
      .optional()
      .describe('A messaging service, which picks the sender'),
    base_url: baseUrl('https://api.twilio.com'),
  })
  .refine(({ from, messaging_service_sid }) => from ?? messaging_service_sid, {
    error: 'Either from or messaging_service_sid is required.',
  })
const secrets = z.strictObject({ auth_token: token.describe('Also verifies the callbacks') })

export const twilio: ProviderKind = defineHttpProvider({
  name: 'twilio',
  title: 'Twilio',
  channels: ['sms'],
  config,
  secrets,
  request(message, { config, secrets, callbackUrl }) {
    const { account_sid, from, messaging_service_sid } = config
    return {
      method: 'POST',
      url: `${config.base_url}/2010-04-01/Accounts/${account_sid}/Messages.json`,
      headers: {
        authorization: `Basic ${Buffer.from(`${account_sid}:${secrets.auth_token}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        // Twilio has no field for our message id.
        'idempotency-key': message.message_id,
      },
      body: new URLSearchParams({
        To: message.address,
        ...(from && { From: from }),
        ...(messaging_service_sid && { MessagingServiceSid: messaging_service_sid }),
        Body: smsText(message, MAX_BODY_LENGTH),
        ...(callbackUrl && { StatusCallback: withMessageId(callbackUrl, message.message_id) }),
      }).toString(),
    }
  },
  messageId: answer => jsonIn(answer, 'sid'),
  rules: [
    { body: code(20003), then: 'config' },
    // 20429 too many requests, 21611 the sender's queue is full, 63038 the account's daily limit is used up.
    { body: code(20429, 21611, 63038), then: 'rate_limited' },
    { body: code(21610), then: 'suppress', reason: 'unsubscribed' },
    // 21211 invalid number, 21614 not a mobile number, 21635 a landline.
    { body: code(21211, 21614, 21635), then: 'suppress', reason: 'invalid' },
    // 21408 country not enabled, 21608 unverified number with a trial account.
    { body: code(21408, 21608), then: 'config' },
    // The sender: none, not valid, not ours, not able to send to this number, of another channel.
    { body: code(21212, 21601, 21603, 21606, 21612, 21659, 21660, 21661, 21910, 63007), then: 'config' },
    // The messaging service: unknown, or without a sender.
    { body: code(21701, 21703, 21704, 21705), then: 'config' },
    // The account is the only part of the path that can be wrong.
    { status: 404, then: 'config' },
  ],
  callback: twilioCallback,
})

/** Twilio puts its error code in the JSON of every refusal. */
function code(...codes: number[]): RegExp {
  return new RegExp(`"code":\\s*(${codes.join('|')})\\b`)
}

/** Twilio calls the URL with its query, so reports can be matched to our message. */
function withMessageId(callbackUrl: string, messageId: string): string {
  const url = new URL(callbackUrl)
  url.searchParams.set('message_id', messageId)
  return url.href
}
