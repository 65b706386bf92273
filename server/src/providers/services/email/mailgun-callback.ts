/** What Mailgun's webhooks report: one event per call, with our variables in it. */
import { z } from 'zod'
import {
  assertFresh,
  assertGenuine,
  hmacSha256,
  isSameSecret,
  parseJson,
  readAs,
  requireSetting,
  toDate,
} from '../callback-checks.ts'
import { type CallbackReader, type Feedback, ForgedCallback } from '../kind.ts'
import { known } from '../known.ts'
import type { SuppressionReason } from '../provider.ts'

const envelope = z.object({
  signature: z.object({ timestamp: z.coerce.string(), token: z.string(), signature: z.string() }),
  'event-data': z.unknown(),
})

const reported = z.object({
  event: z.string(),
  /** Of a failure: permanent or temporary. */
  severity: z.string().optional(),
  reason: z.string().optional(),
  recipient: z.string(),
  timestamp: z.number(),
  'user-variables': z.object({ message_id: z.string() }),
  'delivery-status': z.object({ message: z.string().nullish(), description: z.string().nullish() }).nullish(),
})

type Reported = z.infer<typeof reported>

/** Permanent failures that are about the address; others say nothing about it. */
const SUPPRESSED: Record<string, SuppressionReason> = {
  bounce: 'hard_bounce',
  'suppress-bounce': 'hard_bounce',
  'suppress-complaint': 'complaint',
  'suppress-unsubscribe': 'unsubscribed',
}

export const mailgunCallback: CallbackReader<unknown, { signing_key?: string | undefined }> = {
  async read(request, { secrets, now }) {
    const key = requireSetting(secrets.signing_key, 'signing_key')
    const posted = readAs(envelope, parseJson(request.body))
    if (!posted) throw new ForgedCallback('there is no signature')
    const { timestamp, token, signature } = posted.signature
    assertGenuine(isSameSecret(signature, hmacSha256(key, timestamp, token).toString('hex')))
    assertFresh(Number(timestamp) * 1000, now)
    return [toFeedback(readAs(reported, posted['event-data']), token, now) ?? ignored(token, now)]
  },
}

function toFeedback(event: Reported | undefined, token: string, now: () => number): Feedback | undefined {
  const meaning = event && meaningOf(event)
  if (!event || !meaning) return undefined
  const status = event['delivery-status']
  return {
    message_id: event['user-variables'].message_id,
    // The signature covers the token and not the event, so one token stands for one event: a second event with an
    // intercepted token counts as a repeat of the first.
    event_id: token,
    kind: meaning.kind,
    recipient: event.recipient,
    ...(meaning.suppress && { suppress: { address: event.recipient, reason: meaning.suppress } }),
    detail: status?.message || status?.description || event.reason || '',
    at: toDate(event.timestamp * 1000, now),
  }
}

/** Otherwise the token of an event that means nothing to us could be used for a forged one that does. */
function ignored(token: string, now: () => number): Feedback {
  return { message_id: '', event_id: token, kind: 'ignored', detail: '', at: new Date(now()) }
}

function meaningOf(event: Reported): { kind: Feedback['kind']; suppress?: SuppressionReason } | undefined {
  switch (event.event) {
    case 'delivered':
      return { kind: 'delivered' }
    case 'failed': {
      // Mailgun retries on its own.
      if (event.severity !== 'permanent') return undefined
      const suppress = known(SUPPRESSED, event.reason ?? '')
      return { kind: 'bounced', ...(suppress && { suppress }) }
    }
    case 'complained':
      return { kind: 'complained', suppress: 'complaint' }
    case 'unsubscribed':
      return { kind: 'unsubscribed', suppress: 'unsubscribed' }
    case 'opened':
      return { kind: 'opened' }
  }
}
