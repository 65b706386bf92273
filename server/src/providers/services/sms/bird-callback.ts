/**
 * What Bird's webhooks report: one event per call, signed as described by Standard Webhooks, with the metadata that we sent
 * along. Replies and opt-outs come to the same URL.
 */
import { z } from 'zod'
import { parseJson, readAs, requireSetting, toDate } from '../callback-checks.ts'
import type { CallbackReader, Feedback } from '../kind.ts'
import { known } from '../known.ts'
import type { SuppressionReason } from '../provider.ts'
import { assertSigned } from '../standard-webhooks.ts'
import { feedbackOfReply } from './replies.ts'

const timed = z.object({ type: z.string(), timestamp: z.string().optional() })

const reported = timed.extend({
  data: z.object({
    to: z.string(),
    metadata: z.object({ message_id: z.string() }),
    error: z.object({ code: z.string(), description: z.string().default('') }).nullish(),
  }),
})

const received = timed.extend({
  type: z.literal('sms.received'),
  data: z.object({ from: z.string().min(1), text: z.string() }),
})

/** Bird stops one sender from reaching a number; `manual` is a decision of the workspace and not of the person. */
const optedOut = timed.extend({
  type: z.literal('sms_suppression.created'),
  data: z.object({
    destination: z.string().min(1),
    originator: z.string(),
    reason: z.enum(['keyword_stop', 'carrier_opted_out']),
  }),
})

/** Other events, such as sms.accepted and sms.sent, are only intermediate. */
const KINDS: Record<string, Feedback['kind']> = {
  'sms.delivered': 'delivered',
  'sms.undelivered': 'bounced',
  'sms.expired': 'bounced',
  'sms.failed': 'failed',
  'sms.rejected': 'failed',
}

const SUPPRESSIONS: Record<string, SuppressionReason> = {
  invalid_destination: 'invalid',
  landline_unreachable: 'invalid',
  recipient_opted_out: 'unsubscribed',
}

export const birdCallback: CallbackReader<{ from: string }, { webhook_secret?: string | undefined }> = {
  async read(request, { config, secrets, now }) {
    const event_id = assertSigned(request, requireSetting(secrets.webhook_secret, 'webhook_secret'), now)
    const body = parseJson(request.body)
    const at = toDate(readAs(timed, body)?.timestamp, now)
    const feedback =
      readStatus(body, event_id, at) ??
      readReply(body, event_id, at) ??
      readOptOut(body, event_id, at, config)
    return feedback === undefined ? [] : [feedback]
  },
}

function readStatus(body: unknown, event_id: string, at: Date): Feedback | undefined {
  const event = readAs(reported, body)
  const kind = event && known(KINDS, event.type)
  if (event === undefined || kind === undefined) return undefined
  const { to, metadata, error } = event.data
  const reason = known(SUPPRESSIONS, error?.code ?? '')
  return {
    message_id: metadata.message_id,
    event_id,
    kind,
    ...(reason && { suppress: { address: to, reason } }),
    detail: error == null ? '' : `${error.code}: ${error.description}`,
    at,
  }
}

function readReply(body: unknown, event_id: string, at: Date): Feedback | undefined {
  const { from, text } = readAs(received, body)?.data ?? {}
  return from === undefined || text === undefined ? undefined : feedbackOfReply({ from, text, event_id, at })
}

function readOptOut(
  body: unknown,
  event_id: string,
  at: Date,
  config: { from: string },
): Feedback | undefined {
  const { destination, originator, reason } = readAs(optedOut, body)?.data ?? {}
  if (destination === undefined || originator !== config.from) return undefined
  return {
    message_id: '',
    event_id,
    kind: 'unsubscribed',
    suppress: { address: destination, reason: 'unsubscribed' },
    detail: reason ?? '',
    at,
  }
}
