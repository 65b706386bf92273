/** Bird (formerly MessageBird), through the SMS endpoint of its current platform; it sends repeats with one key once. */
import { z } from 'zod'
import { defineHttpProvider, jsonIn, Misconfigured } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { birdCallback } from './bird-callback.ts'
import { SHORTEST_PART, smsTextInParts, withMediaLinks } from './sms-text.ts'

/** Bird refuses longer messages. */
const MAX_PARTS = 12

export const bird: ProviderKind = defineHttpProvider({
  name: 'bird',
  title: 'Bird',
  channels: ['sms'],
  config: z.strictObject({
    from: z.string().min(1).describe('A number, short code or sender name of the workspace'),
    category: z.enum(['transactional', 'marketing', 'authentication', 'service']).default('transactional'),
    base_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("That of the key's region unless set."),
  }),
  secrets: z.strictObject({
    api_key: token.describe('Begins with bk_ and the region'),
    webhook_secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/=]+$/, { error: 'expected the signing secret, which begins with whsec_' })
      .optional()
      .describe('The signing secret of the webhook; reports are refused without it.'),
  }),
  callback: birdCallback,

  request(message, { config, secrets }) {
    return {
      method: 'POST',
      url: `${config.base_url ?? regionalUrl(secrets.api_key)}/v1/sms/messages`,
      headers: {
        authorization: `Bearer ${secrets.api_key}`,
        'content-type': 'application/json',
        'idempotency-key': message.message_id,
      },
      body: JSON.stringify({
        to: message.address,
        from: config.from,
        text: smsTextInParts(withMediaLinks(message, MAX_PARTS * SHORTEST_PART), MAX_PARTS),
        category: config.category,
        metadata: { message_id: message.message_id },
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'id'),

  rules: [
    // 402 no balance, 404 wrong base URL, 421 wrong region.
    { status: [402, 404, 421], then: 'config' },
    // The first request with this key is still in progress.
    { status: 409, then: 'retry', fault: 'message' },
    { status: 422, body: /"name":\s*"SMS(NoEligibleSender|SenderReserved)"/, then: 'config' },
    { status: 422, body: /"param":\s*"to"/, then: 'suppress', reason: 'invalid' },
  ],
})

/** Keys work in one region only and begin with its name: bk_eu1_… */
function regionalUrl(key: string): string {
  const region = /^bk_([a-z]+\d+)_/.exec(key)?.[1]
  if (region === undefined) throw new Misconfigured('The API key names no region; expected bk_<region>_…')
  return `https://${region}.platform.bird.com`
}
