/** Slack: a bot that posts to the channel or person in the address, or an incoming webhook. */
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import { baseUrl } from '../base-url.ts'
import {
  defineHttpProvider,
  type ErrorClass,
  type ErrorRule,
  jsonIn,
  Misconfigured,
} from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { chatText } from './chat-text.ts'
import { secretsInWebhook, webhookOf, webhooks } from './webhook-url.ts'

/** Slack cuts texts at 40,000 characters, and escaping may turn one character into five. */
const MAX_TEXT_LENGTH = 8000

export const slack: ProviderKind = defineHttpProvider({
  name: 'slack',
  title: 'Slack',
  channels: ['chat'],
  config: z.strictObject({ base_url: baseUrl('https://slack.com/api') }),
  secrets: z.strictObject({
    bot_token: token.optional().describe('xoxb-…, with the scope chat:write'),
    webhooks,
  }),
  hosts: /(^|\.)slack\.com$/,
  secretsOf: (message, { secrets }) => secretsInWebhook(webhookOf(message, secrets.webhooks)),

  request(message, { config, secrets }) {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'idempotency-key': message.message_id,
    }
    const text = escapeMarkup(chatText(message, MAX_TEXT_LENGTH))
    const webhook = webhookOf(message, secrets.webhooks)
    // The token must not be sent to a URL that came with a recipient.
    if (webhook) return { method: 'POST', url: webhook, headers, body: JSON.stringify({ text }) }
    if (secrets.bot_token === undefined) throw new Misconfigured('posting to a channel needs a bot_token')
    return {
      method: 'POST',
      url: `${config.base_url}/chat.postMessage`,
      headers: { authorization: `Bearer ${secrets.bot_token}`, ...headers },
      body: JSON.stringify({ channel: message.address, text, metadata: metadataOf(message) }),
    }
  },

  // Only the Web API gives an id; webhooks answer a plain "ok".
  messageId: answer => jsonIn(answer, 'ts'),

  // The Web API answers 200 to everything and names the failure in JSON; webhooks answer a status and the bare name.
  rules: [
    error('ratelimited|rate_limited', 'rate_limited'),
    error('internal_error|fatal_error|service_unavailable|request_timeout|team_added_to_org', 'retry'),
    error('not_authed|invalid_auth|account_inactive|token_revoked|token_expired|missing_scope', 'config'),
    error(
      'no_permission|not_allowed_token_type|access_denied|ekm_access_denied|org_login_required',
      'config',
    ),
    // Somebody has to add the bot to this channel, or let it post there; other channels are not concerned.
    { ...error('not_in_channel|restricted_action\\w*', 'config'), fault: 'recipient' },
    {
      ...error('(channel|user|team)_not_found|is_archived|cannot_dm_bot|messages_tab_disabled', 'permanent'),
      fault: 'recipient',
    },
    error('\\w+', 'permanent'),
    // The webhook or its channel is gone for good.
    { body: /^(no_service|no_team|channel_(not_found|is_archived))\b/, then: 'suppress', reason: 'invalid' },
    // A wrong webhook is a problem of one recipient and must not count against the provider.
    { status: 403, then: 'permanent', fault: 'recipient' },
  ],
})

function error(names: string, then: ErrorClass): ErrorRule {
  return { status: 200, body: new RegExp(`^(?=.*"ok":\\s*false).*"error":\\s*"(${names})"`, 's'), then }
}

/** These three begin Slack's markup: unescaped, a payload could mention a whole channel. */
function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Not shown to people; apps can recognise repeats by it. */
function metadataOf(message: Message) {
  return { event_type: 'carillon_message', event_payload: { message_id: message.message_id } }
}
