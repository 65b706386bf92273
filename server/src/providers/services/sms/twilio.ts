/** Twilio Programmable Messaging: one form per message to the Messages resource. */
import { z } from 'zod'
import type { Message } from '../../../content/messages/message.ts'
import type { HttpAnswer } from '../../../platform/outgoing/http-client.ts'
import { cut } from '../../../platform/text/cut.ts'
import { baseUrl } from '../base-url.ts'
import { readAs } from '../callback-checks.ts'
import { defineHttpProvider, jsonIn } from '../http-provider.ts'
import type { ProviderKind } from '../kind.ts'
import { token } from '../secret-text.ts'
import { smsText } from './sms-text.ts'
import { twilioCallback } from './twilio-callback.ts'

/** Twilio refuses longer messages (error 21617). */
const MAX_BODY_LENGTH = 1600

/** Leaves the template some room for words of its own. */
const MAX_PLACEHOLDER_LENGTH = 900

/** The largest page of messages, which a number rarely fills. */
const ASKED_MESSAGES = 1000
const MAX_LIST_BYTES = 4 * 1024 * 1024
/** How much Twilio's clock may be behind ours. */
const CLOCK_MARGIN_MS = 2 * 60_000

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
    content_sid: z
      .string()
      .regex(/^HX[0-9a-f]{32}$/, 'Expected HX and 32 hexadecimal digits.')
      .optional()
      .describe(
        'For WhatsApp: the content template of messages that name none; its only placeholder, {{1}}, is the text',
      ),
    base_url: baseUrl('https://api.twilio.com'),
  })
  .refine(({ from, messaging_service_sid }) => from ?? messaging_service_sid, {
    error: 'Either from or messaging_service_sid is required.',
  })
const secrets = z.strictObject({ auth_token: token.describe('Also verifies the callbacks') })

export const twilio: ProviderKind = defineHttpProvider({
  name: 'twilio',
  title: 'Twilio',
  // on chat, WhatsApp
  channels: ['sms', 'chat'],
  usualChannel: 'sms',
  config,
  secrets,
  request(message, { config, secrets, callbackUrl }) {
    const { account_sid } = config
    return {
      method: 'POST',
      url: `${config.base_url}/2010-04-01/Accounts/${account_sid}/Messages.json`,
      headers: {
        authorization: basic(account_sid, secrets.auth_token),
        'content-type': 'application/x-www-form-urlencoded',
        // Twilio has no field for our message id.
        'idempotency-key': message.message_id,
      },
      body: new URLSearchParams([
        ...addresses(message, config),
        ...contentOf(message, config.content_sid),
        ...(callbackUrl
          ? [['StatusCallback', withMessageId(callbackUrl, message.message_id)] satisfies Field]
          : []),
      ]).toString(),
    }
  },
  messageId: answer => jsonIn(answer, 'sid'),
  ask: {
    request(message, { config, secrets }) {
      const query = new URLSearchParams({ To: message.address, PageSize: String(ASKED_MESSAGES) })
      return {
        method: 'GET',
        url: `${config.base_url}/2010-04-01/Accounts/${config.account_sid}/Messages.json?${query}`,
        headers: { authorization: basic(config.account_sid, secrets.auth_token) },
      }
    },
    hasMessage: nothingSince,
    settlesAfterMs: 5 * 60_000,
    maxAnswerBytes: MAX_LIST_BYTES,
  },
  rules: [
    { body: code(20003), then: 'config' },
    // 20429 too many requests, 21611 the sender's queue is full, 63038 the account's daily limit is used up.
    { body: code(20429, 21611, 63038), then: 'rate_limited' },
    { body: code(21610), then: 'suppress', reason: 'unsubscribed' },
    // 21211 invalid number, 21614 not a mobile number, 21635 a landline.
    { body: code(21211, 21614, 21635), then: 'suppress', reason: 'invalid' },
    // Not a valid recipient on WhatsApp. The number stays: the app may be too old, or its terms not accepted yet.
    { body: code(63024), then: 'permanent', fault: 'recipient' },
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

type Field = [name: string, value: string]

/** On WhatsApp, both numbers are marked as such; a messaging service needs no mark. */
function addresses(
  { channel, address }: Message,
  { from, messaging_service_sid }: z.output<typeof config>,
): Field[] {
  if (channel === 'chat' && !address.startsWith('whatsapp:'))
    throw new Error('the recipient has no WhatsApp address such as whatsapp:+4915112345678')
  const isWhatsapp = address.startsWith('whatsapp:')
  const sender = from === undefined || !isWhatsapp || from.startsWith('whatsapp:') ? from : `whatsapp:${from}`
  return [
    ['To', address],
    ...(sender === undefined ? [] : [['From', sender] satisfies Field]),
    ...(messaging_service_sid ? [['MessagingServiceSid', messaging_service_sid] satisfies Field] : []),
  ]
}

/** WhatsApp takes free texts only within a day of the person's own last message; templates it always takes. */
function contentOf(message: Message, standardTemplate: string | undefined): Field[] {
  const { media = [], content_sid, content_variables } = message.options ?? {}
  const text = smsText(message, MAX_BODY_LENGTH)
  const isWhatsapp = message.address.startsWith('whatsapp:')
  const template = content_sid ?? (isWhatsapp ? standardTemplate : undefined)
  if (template !== undefined)
    return [
      ['ContentSid', template],
      [
        'ContentVariables',
        JSON.stringify(content_sid === undefined ? { 1: templateText(message) } : (content_variables ?? {})),
      ],
    ]
  return [['Body', text], ...media.map((url): Field => ['MediaUrl', url])]
}

/** WhatsApp refuses placeholders with line breaks, tabs or many spaces, and templates of more than 1024 characters in all. */
function templateText(message: Message): string {
  const oneLine = (message.text || message.subject).trim().replace(/\s+/g, ' ')
  return cut(oneLine, MAX_PLACEHOLDER_LENGTH, 'utf16', '...')
}

const List = z.object({
  messages: z.array(z.object({ date_created: z.string() })),
  next_page_uri: z.string().nullable(),
})

/**
 * Twilio's messages have nothing of ours but their text, which two notifications may share and Twilio may change. So a list
 * tells only that no message was created for the number since then; that ours was is known from its reports.
 */
function nothingSince({ body }: HttpAnswer, since: Date): false | undefined {
  const list = readAs(List, parsed(body))
  // Those that are still queued have no date to sort by, so one page of several proves nothing.
  if (list === undefined || list.next_page_uri !== null) return undefined
  const oldestMs = since.getTime() - CLOCK_MARGIN_MS
  return list.messages.every(({ date_created }) => Date.parse(date_created) < oldestMs) ? false : undefined
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

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
