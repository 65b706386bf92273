/** Expo's receipts: whether Apple or Google took what Expo had accepted with a ticket. */
import { z } from 'zod'
import { createRedactor } from '../../../platform/outgoing/redact.ts'
import { cut } from '../../../platform/text/cut.ts'
import { readAs } from '../callback-checks.ts'
import type { ProviderSettings } from '../kind.ts'
import { known } from '../known.ts'
import type { Receipt, Receipts } from '../provider.ts'

const Answer = z.object({ data: z.record(z.string(), z.unknown()) })
const Answered = z.object({
  status: z.string(),
  message: z.string().default(''),
  details: z.object({ error: z.string().optional() }).nullish(),
})
type Answered = z.infer<typeof Answered>

/** Room for five hundred receipts with error messages. */
const MAX_RECEIPTS_BYTES = 1024 * 1024
const MAX_MESSAGE_LENGTH = 300

type Settings = Pick<
  ProviderSettings<{ api_url: string }, { access_token?: string | undefined }>,
  'config' | 'secrets' | 'http' | 'timeoutMs'
>

export function expoReceipts({ config, secrets, http, timeoutMs }: Settings): Receipts {
  const redact = createRedactor([secrets.access_token ?? ''])
  return {
    async fetch(tickets, signal) {
      const { status, body } = await http.send(
        {
          method: 'POST',
          url: new URL('/--/api/v2/push/getReceipts', config.api_url),
          headers: expoHeaders(secrets.access_token),
          body: JSON.stringify({ ids: tickets }),
        },
        { signal, timeoutMs, maxAnswerBytes: MAX_RECEIPTS_BYTES },
      )
      if (status !== 200) throw new Error(`Expo answered ${status} instead of receipts`)
      const { data } = Answer.parse(JSON.parse(body))
      // One that cannot be read must not keep the others from being read.
      return new Map(
        Object.entries(data).flatMap(([ticket, value]) => {
          const answered = readAs(Answered, value)
          return answered === undefined ? [] : [[ticket, toReceipt(answered, redact)]]
        }),
      )
    },
  }
}

export function expoHeaders(accessToken: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
  }
}

function toReceipt({ status, message, details }: Answered, redact: (text: string) => string): Receipt {
  if (status === 'ok') return { kind: 'accepted' }
  const code = details?.error
  const text = [code, redact(message).replace(DEVICE_TOKEN, '[redacted]')].filter(Boolean).join(': ')
  return { kind: known(KINDS, code ?? '') ?? 'refused', message: cut(text, MAX_MESSAGE_LENGTH) }
}

/** Messages name the device by its token, which is not known here any more. */
const DEVICE_TOKEN = /Expo(nent)?PushToken\[[^\]]*\]/g

const KINDS: Record<string, 'gone' | 'account'> = {
  DeviceNotRegistered: 'gone',
  InvalidCredentials: 'account',
  MismatchSenderId: 'account',
}
