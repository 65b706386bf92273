/**
 * Microsoft Teams, through a workflow (Power Automate) that begins with "When a Teams webhook request is received"; its
 * URL is the address. The Office 365 connectors that used to accept such posts are retired.
 */
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import { defineHttpProvider } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { markdownText } from './markdown.ts'
import { requireWebhook, secretsInWebhook, webhookOf, webhooks } from './webhook-url.ts'

/** Teams accepts 28 KB in total; each of these characters takes at most three bytes. */
const MAX_TEXT_LENGTH = 7000
const MAX_SUBJECT_LENGTH = 250

export const teams: ProviderKind = defineHttpProvider({
  name: 'teams',
  title: 'Microsoft Teams',
  channels: ['chat'],
  config: z.strictObject({}),
  secrets: z.strictObject({ webhooks }),
  hosts: /\.(logic\.azure|powerplatform|webhook\.office)\.com$/,
  secretsOf: (message, { secrets }) => secretsInWebhook(webhookOf(message, secrets.webhooks)),

  request(message, { secrets }) {
    return {
      method: 'POST',
      url: requireWebhook(message, secrets.webhooks),
      // Cards have no field for our message id.
      headers: { 'content-type': 'application/json', 'idempotency-key': message.message_id },
      body: JSON.stringify({
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: cardOf(message),
          },
        ],
      }),
    }
  },

  rules: [
    { status: 404, body: /(Workflow|Flow)NotFound/i, then: 'suppress', reason: 'invalid' },
    // A wrong webhook is a problem of one recipient and must not count against the provider.
    { status: [401, 403], then: 'permanent', fault: 'recipient' },
  ],
})

function cardOf(message: Message) {
  const title = {
    type: 'TextBlock',
    text: markdownText(message.subject, MAX_SUBJECT_LENGTH),
    weight: 'Bolder',
    wrap: true,
  }
  const rest = message.text === message.subject ? '' : message.text
  const text = { type: 'TextBlock', text: markdownText(rest, MAX_TEXT_LENGTH), wrap: true }
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [title, text].filter(block => block.text !== ''),
  }
}
