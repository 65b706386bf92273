/**
 * How a service without a kind of its own reports back: JSON, signed in two headers. carillon-timestamp is in seconds
 * since 1970; carillon-signature is the HMAC-SHA256 of `<timestamp>.<body>` in hex.
 */
import { z } from 'zod'
import {
  assertFresh,
  assertGenuine,
  hmacSha256,
  isSameSecret,
  parseJson,
  requireSetting,
} from './callback-checks.ts'
import { type CallbackReader, type Feedback, ForgedCallback } from './kind.ts'
import type { SuppressionReason } from './provider.ts'

const reported = z.object({
  event_id: z.string().min(1).max(200),
  message_id: z.string().min(1).max(200),
  kind: z.enum(['delivered', 'bounced', 'complained', 'opened', 'failed', 'unsubscribed']),
  /** The recipient's address; kinds in SUPPRESSIONS suppress it. */
  address: z.string().min(1).max(500).optional(),
  detail: z.string().max(1000).default(''),
  at: z.iso.datetime({ offset: true }).optional(),
})

const SUPPRESSIONS: Partial<Record<Feedback['kind'], SuppressionReason>> = {
  bounced: 'hard_bounce',
  complained: 'complaint',
  unsubscribed: 'unsubscribed',
}

export const genericCallback: CallbackReader<unknown, { signing_secret?: string | undefined }> = {
  async read({ headers, body }, { secrets, now }) {
    const secret = requireSetting(secrets.signing_secret, 'signing_secret')
    const timestamp = headers['carillon-timestamp'] ?? ''
    const expected = hmacSha256(secret, `${timestamp}.`, body).toString('hex')
    assertGenuine(isSameSecret(headers['carillon-signature'] ?? '', expected))
    // Checked after the signature, so that strangers learn nothing about our clock.
    assertFresh(/^\d+$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN, now)
    const { data, error } = reported.safeParse(parseJson(body))
    if (data === undefined)
      throw new ForgedCallback(`the body is not a valid report: ${z.prettifyError(error)}`)
    const { address, at, ...feedback } = data
    const reason = SUPPRESSIONS[data.kind]
    return [
      {
        ...feedback,
        ...(address !== undefined && { recipient: address }),
        ...(reason && address !== undefined && { suppress: { address, reason } }),
        at: at === undefined ? new Date(now()) : new Date(at),
      },
    ]
  },
}
