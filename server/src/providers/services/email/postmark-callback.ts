/**
 * What Postmark's webhooks report: one record per call, with our metadata in it. Postmark signs nothing; it sends the
 * credentials of the webhook URL as HTTP basic auth instead, so a secret password there proves who is calling.
 */
import { z } from 'zod'
import { assertGenuine, isSameSecret, parseJson, readAs, requireSetting, toDate } from '../callback-checks.ts'
import type { CallbackReader, CallbackRequest, Feedback } from '../kind.ts'
import type { SuppressionReason } from '../provider.ts'

const reported = z.object({
  RecordType: z.string(),
  MessageID: z.string(),
  Metadata: z.object({ message_id: z.string() }),
  /** Of bounces and complaints. */
  ID: z.number().optional(),
  Type: z.string().optional(),
  Email: z.string().optional(),
  BouncedAt: z.string().optional(),
  Description: z.string().optional(),
  Details: z.string().optional(),
  /** Of deliveries, opens and subscription changes. */
  Recipient: z.string().optional(),
  DeliveredAt: z.string().optional(),
  ReceivedAt: z.string().optional(),
  ChangedAt: z.string().optional(),
  SuppressSending: z.boolean().optional(),
  SuppressionReason: z.string().nullish(),
})

type Reported = z.infer<typeof reported>

const HARD_BOUNCES = ['HardBounce', 'BadEmailAddress']

/** Reported as bounces, but the mail is still on its way or has arrived. */
const NOT_BOUNCES = ['Transient', 'AutoResponder', 'AddressChange', 'Subscribe', 'ChallengeVerification']

export const postmarkCallback: CallbackReader<unknown, { callback_token?: string | undefined }> = {
  async read(request, { secrets, now }) {
    const token = requireSetting(secrets.callback_token, 'callback_token')
    assertGenuine(isSameSecret(passwordIn(request), token))
    return toFeedback(readAs(reported, parseJson(request.body)), now)
  },
}

function passwordIn({ headers }: CallbackRequest): string {
  const [, credentials] = /^Basic ([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? []
  const decoded = Buffer.from(credentials ?? '', 'base64').toString()
  return decoded.slice(decoded.indexOf(':') + 1)
}

function toFeedback(record: Reported | undefined, now: () => number): Feedback[] {
  const meaning = record && meaningOf(record)
  if (!record || !meaning) return []
  const address = record.Email ?? record.Recipient
  const at = record.BouncedAt ?? record.DeliveredAt ?? record.ReceivedAt ?? record.ChangedAt
  return [
    {
      message_id: record.Metadata.message_id,
      // Only bounces and complaints have an id of their own.
      event_id: [record.MessageID, record.RecordType, record.ID ?? record.ChangedAt ?? ''].join(':'),
      kind: meaning.kind,
      ...(address && { recipient: address }),
      ...(meaning.suppress && address && { suppress: { address, reason: meaning.suppress } }),
      detail: record.Details || record.Description || '',
      at: toDate(at, now),
    },
  ]
}

function meaningOf(record: Reported): { kind: Feedback['kind']; suppress?: SuppressionReason } | undefined {
  const type = record.Type ?? ''
  switch (record.RecordType) {
    case 'Delivery':
      return { kind: 'delivered' }
    case 'Bounce':
      if (NOT_BOUNCES.includes(type)) return undefined
      return { kind: 'bounced', ...(HARD_BOUNCES.includes(type) && { suppress: 'hard_bounce' }) }
    case 'SpamComplaint':
      return { kind: 'complained', suppress: 'complaint' }
    case 'SubscriptionChange':
      // Bounces and complaints change the subscription too, but have records of their own.
      return record.SuppressSending && record.SuppressionReason === 'ManualSuppression'
        ? { kind: 'unsubscribed', suppress: 'unsubscribed' }
        : undefined
    case 'Open':
      return { kind: 'opened' }
  }
}
