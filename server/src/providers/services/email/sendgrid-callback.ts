/** What SendGrid's signed event webhook reports: batches of events, with our custom arguments among their fields. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'
import { assertFresh, assertGenuine, parseJson, readAs, requireSetting, toDate } from '../callback-checks.ts'
import type { CallbackReader, CallbackRequest, Feedback } from '../kind.ts'
import type { SuppressionReason } from '../provider.ts'

const reported = z.object({
  event: z.string(),
  sg_event_id: z.string(),
  message_id: z.string(),
  email: z.string(),
  timestamp: z.number(),
  /** Of a bounce: `bounce` for good, `blocked` for now. */
  type: z.string().optional(),
  reason: z.string().optional(),
  response: z.string().optional(),
  /** Opened by the recipient's mail service and not by a person. */
  sg_machine_open: z.boolean().optional(),
})

type Reported = z.infer<typeof reported>

export const sendgridCallback: CallbackReader<{ webhook_public_key?: string | undefined }, unknown> = {
  async read(request, { config, now }) {
    const key = toPublicKey(requireSetting(config.webhook_public_key, 'webhook_public_key'))
    assertSigned(request, key, now)
    const events = readAs(z.array(z.unknown()), parseJson(request.body)) ?? []
    return events.flatMap(event => toFeedback(readAs(reported, event), now))
  },
}

export function isSendgridPublicKey(text: string): boolean {
  try {
    return toPublicKey(text).asymmetricKeyType === 'ec'
  } catch {
    return false
  }
}

function toPublicKey(text: string): KeyObject {
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' })
}

function assertSigned({ headers, body }: CallbackRequest, key: KeyObject, now: () => number): void {
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'] ?? ''
  const signature = headers['x-twilio-email-event-webhook-signature'] ?? ''
  const signed = Buffer.concat([Buffer.from(timestamp), body])
  assertGenuine(verify('sha256', signed, key, Buffer.from(signature, 'base64')))
  assertFresh(Number(timestamp) * 1000, now)
}

function toFeedback(event: Reported | undefined, now: () => number): Feedback[] {
  const meaning = event && meaningOf(event)
  if (!event || !meaning) return []
  const { kind, suppress } = meaning
  return [
    {
      message_id: event.message_id,
      event_id: event.sg_event_id,
      kind,
      recipient: event.email,
      ...(suppress && { suppress: { address: event.email, reason: suppress } }),
      detail: event.reason ?? event.response ?? '',
      at: toDate(event.timestamp * 1000, now),
    },
  ]
}

function meaningOf(event: Reported): { kind: Feedback['kind']; suppress?: SuppressionReason } | undefined {
  switch (event.event) {
    case 'delivered':
      return { kind: 'delivered' }
    case 'bounce':
      return { kind: 'bounced', ...(event.type !== 'blocked' && { suppress: 'hard_bounce' }) }
    case 'dropped':
      return { kind: 'failed', ...droppedBecause(event.reason ?? '') }
    case 'spamreport':
      return { kind: 'complained', suppress: 'complaint' }
    case 'unsubscribe':
    case 'group_unsubscribe':
      return { kind: 'unsubscribed', suppress: 'unsubscribed' }
    case 'open':
      return event.sg_machine_open ? undefined : { kind: 'opened' }
  }
}

/** SendGrid has suppression lists of its own and does not even try the addresses on them. */
function droppedBecause(reason: string): { suppress?: SuppressionReason } {
  if (/^bounced address/i.test(reason)) return { suppress: 'hard_bounce' }
  if (/^spam reporting address/i.test(reason)) return { suppress: 'complaint' }
  if (/^unsubscribed address/i.test(reason)) return { suppress: 'unsubscribed' }
  return /^invalid$/i.test(reason) ? { suppress: 'invalid' } : {}
}
