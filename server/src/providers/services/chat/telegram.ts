/** Telegram's Bot API; the address is a chat's id, or the @name of a channel. */
import { z } from 'zod'
import { baseUrl } from '../base-url.ts'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { chatText } from './chat-text.ts'

/** Telegram refuses longer messages. */
const MAX_TEXT_LENGTH = 4096

export const telegram: ProviderKind = defineHttpProvider({
  name: 'telegram',
  title: 'Telegram',
  channels: ['chat'],
  config: z.strictObject({ base_url: baseUrl('https://api.telegram.org') }),
  secrets: z.strictObject({
    bot_token: z.string().regex(/^\d+:[\w-]+$/, 'Expected a token such as 123456:ABC-DEF.'),
  }),

  request(message, { config, secrets }) {
    return {
      method: 'POST',
      url: `${config.base_url}/bot${secrets.bot_token}/sendMessage`,
      // The method has no field for our message id.
      headers: { 'content-type': 'application/json', 'idempotency-key': message.message_id },
      // Without a parse_mode, the text is plain and nothing in it is markup.
      body: JSON.stringify({ chat_id: message.address, text: chatText(message, MAX_TEXT_LENGTH) }),
    }
  },

  messageId: answer => jsonIn(answer, 'result', 'message_id'),
  // A group that becomes a supergroup gets a new id.
  movedTo: answer => jsonIn(answer, 'parameters', 'migrate_to_chat_id'),
  retryAfterSeconds: answer => Number(jsonIn(answer, 'parameters', 'retry_after')),

  rules: [
    { status: 403, body: /blocked by the user/i, then: 'suppress', reason: 'unsubscribed' },
    {
      status: 403,
      body: /user is deactivated|bot was kicked|not a member/i,
      then: 'suppress',
      reason: 'invalid',
    },
    { status: 400, body: /chat not found|group chat was upgraded/i, then: 'suppress', reason: 'invalid' },
    // Any other 403 is about this chat, such as a person who has not started the bot yet, and not about our token.
    { status: 403, then: 'permanent', fault: 'recipient' },
    // A wrong token is answered with 401, or with 404 if it does not look like a token.
    { status: [401, 404], then: 'config' },
  ],
})
