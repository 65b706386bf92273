/** ntfy, at ntfy.sh or on a server of your own: a message goes to everybody who subscribed to a topic. */
import { z } from 'zod'
import { cut } from '../../server/src/platform/text/cut.ts'
import { baseUrl } from '../../server/src/providers/services/base-url.ts'
import { defineHttpProvider, jsonIn } from '../../server/src/providers/services/http-provider.ts'

export const ntfy = defineHttpProvider({
  name: 'ntfy',
  title: 'ntfy',
  channels: ['chat'],
  config: z.strictObject({ base_url: baseUrl('https://ntfy.sh') }),
  secrets: z.strictObject({ token: z.string().min(1).optional().describe('For topics that need one') }),

  request(message, { config, secrets }) {
    return {
      method: 'POST',
      url: config.base_url,
      headers: {
        ...(secrets.token && { authorization: `Bearer ${secrets.token}` }),
        'content-type': 'application/json',
        'idempotency-key': message.message_id,
      },
      body: JSON.stringify({
        topic: message.address,
        title: message.subject,
        // ntfy turns more than 4096 bytes into an attachment.
        message: cut(message.text, 4096, 'bytes', '…'),
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'id'),

  rules: [
    // 40009 invalid topic, 40010 a name that ntfy reserves for itself.
    { body: /"code":\s*400(09|10)\b/, then: 'suppress', reason: 'invalid' },
  ],
})
