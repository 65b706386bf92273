/** What SES publishes through SNS: one event per notification, with our tags in it. */
import { z } from 'zod'
import { parseJson, readAs, requireSetting, toDate } from '../callback-checks.ts'
import type { CallbackReader, Feedback } from '../kind.ts'
import type { SuppressionReason } from '../provider.ts'
import { fromTag } from './mail-parts.ts'
import { readSnsMessage } from './sns-message.ts'

const recipient = z.object({ emailAddress: z.string(), diagnosticCode: z.string().optional() })
const timestamp = z.string().optional()

const reported = z.object({
  eventType: z.string(),
  mail: z.object({
    destination: z.array(z.string()).min(1),
    tags: z.object({ message_id: z.array(z.string()).min(1) }),
  }),
  bounce: z
    .object({
      /** Undetermined, Permanent or Transient; SES has given up in each case. */
      bounceType: z.string(),
      bounceSubType: z.string().optional(),
      bouncedRecipients: z.array(recipient),
      timestamp,
    })
    .optional(),
  complaint: z
    .object({
      complaintFeedbackType: z.string().nullish(),
      complainedRecipients: z.array(recipient).default([]),
      timestamp,
    })
    .optional(),
  delivery: z
    .object({ smtpResponse: z.string().optional(), recipients: z.array(z.string()).default([]), timestamp })
    .optional(),
  reject: z.object({ reason: z.string().optional() }).optional(),
  open: z.object({ timestamp }).optional(),
})

type Reported = z.infer<typeof reported>

interface Meaning {
  kind: Feedback['kind']
  /** Whom it is about; SES reports about several at once. None if it may be any of them. */
  recipients?: string[]
  suppress?: SuppressionReason
  detail?: string | undefined
  at?: string | undefined
}

export const sesCallback: CallbackReader<{ topic_arn?: string | undefined }, unknown> = {
  async read(request, settings) {
    const topicArn = requireSetting(settings.config.topic_arn, 'topic_arn')
    const notification = await readSnsMessage(request, topicArn, settings)
    if (notification === undefined) return []
    const event = readAs(reported, parseJson(notification.Message))
    const meaning = event && meaningOf(event)
    if (!event || !meaning) return []
    const { kind, recipients = [], suppress, detail, at } = meaning
    const feedback = {
      message_id: fromTag(event.mail.tags.message_id[0]!),
      event_id: notification.MessageId,
      kind,
      detail: detail ?? '',
      at: toDate(at ?? notification.Timestamp, settings.now),
    }
    const addressee = event.mail.destination[0]!
    if (recipients.length === 0)
      return [{ ...feedback, ...(suppress && { suppress: { address: addressee, reason: suppress } }) }]
    return recipients.map((address, at) => ({
      ...feedback,
      ...(at > 0 && { event_id: `${notification.MessageId}:${address}` }),
      recipient: address,
      ...(suppress && { suppress: { address, reason: suppress } }),
    }))
  },
}

function meaningOf({ eventType, bounce, complaint, delivery, reject, open }: Reported): Meaning | undefined {
  switch (eventType) {
    case 'Delivery':
      return {
        kind: 'delivered',
        recipients: delivery?.recipients ?? [],
        detail: delivery?.smtpResponse,
        at: delivery?.timestamp,
      }
    case 'Bounce': {
      const suppress = bounce?.bounceType === 'Permanent' && bounceReason(bounce.bounceSubType)
      return {
        kind: 'bounced',
        recipients: (bounce?.bouncedRecipients ?? []).map(({ emailAddress }) => emailAddress),
        ...(suppress && { suppress }),
        detail: bounce?.bouncedRecipients[0]?.diagnosticCode ?? bounce?.bounceSubType,
        at: bounce?.timestamp,
      }
    }
    case 'Complaint': {
      // Somebody moved the mail out of the spam folder: the opposite of a complaint.
      if (complaint?.complaintFeedbackType === 'not-spam') return undefined
      const complained = (complaint?.complainedRecipients ?? []).map(({ emailAddress }) => emailAddress)
      return {
        kind: 'complained',
        // Of several, SES knows only that one of them has complained.
        recipients: complained.length === 1 ? complained : [],
        suppress: 'complaint',
        detail: complaint?.complaintFeedbackType ?? '',
        at: complaint?.timestamp,
      }
    }
    case 'Reject':
      return { kind: 'failed', detail: reject?.reason }
    case 'Open':
      return { kind: 'opened', at: open?.timestamp }
  }
}

function bounceReason(subType: string | undefined): SuppressionReason {
  return subType === 'UnsubscribedRecipient' ? 'unsubscribed' : 'hard_bounce'
}
