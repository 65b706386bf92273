/** What Resend's webhooks report: one event per call, with our tags in it, signed as by Svix (Standard Webhooks). */
import { z } from 'zod'
import { parseJson, readAs, requireSetting, toDate } from '../callback-checks.ts'
import type { CallbackReader, Feedback } from '../kind.ts'
import type { SuppressionReason } from '../provider.ts'
import { assertSigned } from '../standard-webhooks.ts'
import { fromTag } from './mail-parts.ts'

const reported = z.object({
  type: z.string(),
  created_at: z.string(),
  data: z.object({
    to: z.array(z.string()).min(1),
    // Documented as a list of pairs, but an object in the examples.
    tags: z.union([
      z.object({ message_id: z.string() }),
      z
        .array(z.object({ name: z.string(), value: z.string() }))
        .transform(tags => ({ message_id: tags.find(({ name }) => name === 'message_id')?.value ?? '' })),
    ]),
    bounce: z.object({ type: z.string().optional(), message: z.string().optional() }).optional(),
    failed: z.object({ reason: z.string().optional() }).optional(),
    suppressed: z.object({ message: z.string().optional() }).optional(),
  }),
})

type Reported = z.infer<typeof reported>

export const resendCallback: CallbackReader<unknown, { webhook_secret?: string | undefined }> = {
  async read(request, { secrets, now }) {
    const secret = requireSetting(secrets.webhook_secret, 'webhook_secret')
    const id = assertSigned(request, secret, now, ['svix', 'webhook'])
    return toFeedback(readAs(reported, parseJson(request.body)), id, now)
  },
}

function toFeedback(event: Reported | undefined, event_id: string, now: () => number): Feedback[] {
  const meaning = event && meaningOf(event)
  if (!event || !meaning || event.data.tags.message_id === '') return []
  return [
    {
      message_id: fromTag(event.data.tags.message_id),
      event_id,
      kind: meaning.kind,
      ...(meaning.suppress && { suppress: { address: event.data.to[0]!, reason: meaning.suppress } }),
      detail: event.data.bounce?.message ?? event.data.suppressed?.message ?? event.data.failed?.reason ?? '',
      at: toDate(event.created_at, now),
    },
  ]
}

function meaningOf({
  type,
  data,
}: Reported): { kind: Feedback['kind']; suppress?: SuppressionReason } | undefined {
  switch (type) {
    case 'email.delivered':
      return { kind: 'delivered' }
    case 'email.bounced':
      return { kind: 'bounced', ...(data.bounce?.type === 'Permanent' && { suppress: 'hard_bounce' }) }
    case 'email.complained':
      return { kind: 'complained', suppress: 'complaint' }
    // Resend has sent nothing, as the address bounced or complained before.
    case 'email.suppressed':
      return { kind: 'bounced', suppress: 'hard_bounce' }
    case 'email.failed':
      return { kind: 'failed' }
    case 'email.opened':
      return { kind: 'opened' }
  }
}
