/** Discord, through a channel's webhook; its URL is the address. */
import { z } from 'zod'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { chatMarkdown } from './chat-text.ts'
import { requireWebhook, secretsInWebhook, webhookOf, webhooks } from './webhook-url.ts'

/** Discord refuses longer messages. */
const MAX_CONTENT_LENGTH = 2000

export const discord: ProviderKind = defineHttpProvider({
  name: 'discord',
  title: 'Discord',
  channels: ['chat'],
  config: z.strictObject({}),
  secrets: z.strictObject({ webhooks }),
  hosts: /(^|\.)discord(app)?\.com$/,
  secretsOf: (message, { secrets }) => secretsInWebhook(webhookOf(message, secrets.webhooks)),

  request(message, { secrets }) {
    const url = requireWebhook(message, secrets.webhooks)
    // Without it, Discord answers before it has posted the message.
    url.searchParams.set('wait', 'true')
    return {
      method: 'POST',
      url,
      // Webhooks have no field for our message id.
      headers: { 'content-type': 'application/json', 'idempotency-key': message.message_id },
      body: JSON.stringify({
        content: chatMarkdown(message, MAX_CONTENT_LENGTH),
        // A payload must not be able to mention everybody.
        allowed_mentions: { parse: [] },
      }),
    }
  },

  messageId: answer => jsonIn(answer, 'id'),
  retryAfterSeconds: answer => Number(jsonIn(answer, 'retry_after')),

  rules: [
    // 10015 unknown webhook, 50027 wrong token: Discord asks never to use such a webhook again.
    { body: /"code":\s*(10015|50027)\b/, then: 'suppress', reason: 'invalid' },
    // A wrong webhook is a problem of one recipient and must not count against the provider.
    { status: [401, 403], then: 'permanent', fault: 'recipient' },
  ],
})
