/**
 * What Vonage's Messages API reports: what became of a message, and replies such as STOP, to the same URL if it is set as the
 * inbound URL too. A JSON Web Token in the Authorization header contains the hash of the body.
 */
import { createHash } from 'node:crypto'
import { jwtVerify } from 'jose'
import { z } from 'zod'
import {
  assertFresh,
  assertGenuine,
  isSameSecret,
  parseJson,
  readAs,
  requireSetting,
  toDate,
} from '../callback-checks.ts'
import { type CallbackReader, type CallbackRequest, type Feedback, ForgedCallback } from '../kind.ts'
import { known } from '../known.ts'
import type { SuppressionReason } from '../provider.ts'
import { feedbackOfReply } from './replies.ts'

/** Vonage repeats a call for a day. Whoever replays an older one achieves nothing: the ids of events are used up. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000

const claims = z.object({ iat: z.number(), payload_hash: z.string(), api_key: z.string() })

const reported = z.object({
  message_uuid: z.string().min(1),
  to: z.string(),
  timestamp: z.string().optional(),
  status: z.string(),
  client_ref: z.string().min(1),
  error: z
    .object({ type: z.union([z.string(), z.number()]).optional(), detail: z.string().optional() })
    .optional(),
})

/** Whoever got a picture may answer with an MMS, also one of nothing but text. */
const received = z.object({
  channel: z.enum(['sms', 'mms']),
  message_uuid: z.string().min(1),
  from: z.string().min(1),
  timestamp: z.string().optional(),
  text: z.string(),
})

/** `submitted` is only intermediate. */
const KINDS: Record<string, Feedback['kind']> = {
  delivered: 'delivered',
  rejected: 'failed',
  undeliverable: 'failed',
  read: 'opened',
}

/** 1050 barred, 1170 invalid number, 1190 no longer in use, 1240 opted out: the same as in answers. */
const SUPPRESSIONS: Record<string, SuppressionReason> = {
  '1050': 'invalid',
  '1170': 'invalid',
  '1190': 'invalid',
  '1240': 'unsubscribed',
}

export const vonageCallback: CallbackReader<{ api_key: string }, { signature_secret?: string | undefined }> =
  {
    async read(request, { config, secrets, now }) {
      const secret = requireSetting(secrets.signature_secret, 'signature_secret')
      await assertSigned(request, secret, config.api_key, now)
      const body = parseJson(request.body)
      const feedback = readStatus(body, now) ?? readReply(body, now)
      return feedback === undefined ? [] : [feedback]
    },
  }

async function assertSigned(
  { headers, body }: CallbackRequest,
  secret: string,
  apiKey: string,
  now: () => number,
): Promise<void> {
  const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) throw new ForgedCallback('there is no signature')
  const verified = await jwtVerify(token, Buffer.from(secret), {
    algorithms: ['HS256'],
    currentDate: new Date(now()),
  }).catch(() => undefined)
  const claimed = readAs(claims, verified?.payload)
  if (claimed === undefined) throw new ForgedCallback('the signature is not valid')
  assertGenuine(isSameSecret(claimed.payload_hash, createHash('sha256').update(body).digest('hex')))
  assertGenuine(claimed.api_key === apiKey)
  assertFresh(claimed.iat * 1000, now, MAX_AGE_MS)
}

function readStatus(body: unknown, now: () => number): Feedback | undefined {
  const event = readAs(reported, body)
  const kind = event && known(KINDS, event.status)
  if (event === undefined || kind === undefined) return undefined
  // The type is the URL of the explanation: …/api-errors/messages#1000; in older versions only its number.
  const code = /(?:^|#)(\d+)$/.exec(String(event.error?.type ?? ''))?.[1] ?? ''
  const reason = known(SUPPRESSIONS, code)
  const details = [code && ` ${code}`, event.error?.detail && `: ${event.error.detail}`].filter(Boolean)
  return {
    message_id: event.client_ref,
    event_id: `${event.message_uuid}:${event.status}`,
    kind,
    ...(reason && { suppress: { address: withPlus(event.to), reason } }),
    detail: details.length === 0 ? event.status : `${event.status}, error${details.join('')}`,
    at: toDate(event.timestamp, now),
  }
}

function readReply(body: unknown, now: () => number): Feedback | undefined {
  const reply = readAs(received, body)
  if (reply === undefined) return undefined
  const { message_uuid, from, text, timestamp } = reply
  return feedbackOfReply({
    from: withPlus(from),
    text,
    event_id: message_uuid,
    at: toDate(timestamp, now),
  })
}

/** Vonage names numbers without it. */
function withPlus(number: string): string {
  return number.replace(/^\+?(?=\d)/, '+')
}
