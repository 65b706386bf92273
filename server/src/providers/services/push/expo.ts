/** Expo's push service: up to a hundred devices in one request, and a ticket for each. */
import { z } from 'zod'
import type { Device, Message } from '../../../content/messages/message.ts'
import type { HttpAnswer, HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { readAs } from '../callback-checks.ts'
import { jsonIn, judgeAnswer, judgeFailure } from '../http-provider.ts'
import type { ProviderKind, ProviderSettings } from '../kind.ts'
import { token } from '../secret-text.ts'
import { combine, type DeviceOutcome, type DeviceResult, devicesOf, redacted } from './devices.ts'
import { expoHeaders, expoReceipts } from './expo-receipts.ts'
import { collapseKey, pushContent, pushLook, TtlSeconds, ttlOf } from './push-content.ts'

const Config = z.strictObject({
  api_url: z.url({ protocol: /^https?$/ }).default('https://exp.host'),
  ttl_seconds: TtlSeconds,
})
type Config = z.infer<typeof Config>

const Secrets = z.strictObject({
  access_token: token.optional().describe('Needed only with enhanced push security'),
})
type Secrets = z.infer<typeof Secrets>

const DEVICES_PER_REQUEST = 100
/** Room for a hundred tickets with error messages. */
const MAX_TICKETS_BYTES = 256 * 1024

export const expo: ProviderKind<Config, Secrets> = {
  name: 'expo',
  title: 'Expo push',
  channels: ['push'],
  devices: 'expo',
  config: Config,
  secrets: Secrets,
  create(settings) {
    async function deliver(
      message: Message,
      devices: Device[],
      signal: AbortSignal,
    ): Promise<DeviceResult[]> {
      const secrets = [settings.secrets.access_token ?? '', ...devices.map(device => device.token)]
      try {
        const answer = await settings.http.send(sendRequest(message, devices, settings), {
          signal,
          timeoutMs: settings.timeoutMs,
          maxAnswerBytes: MAX_TICKETS_BYTES,
        })
        if (devices.length > 1 && mixesProjects(answer)) return deliverOneByOne(message, devices, signal)
        const outcomes = judge(answer, devices.length, settings.now)
        return devices.map((device, at) => ({ device, outcome: redacted(outcomes[at]!, secrets) }))
      } catch (error) {
        return devices.map(device => ({ device, outcome: judgeFailure(error) }))
      }
    }

    async function deliverOneByOne(message: Message, devices: Device[], signal: AbortSignal) {
      const results = await Promise.all(devices.map(device => deliver(message, [device], signal)))
      return results.flat()
    }

    return {
      name: settings.name,
      async send(message, signal) {
        const batches = inBatches(devicesOf(message, 'expo'))
        const results = await Promise.all(batches.map(batch => deliver(message, batch, signal)))
        const tickets = results
          .flat()
          .flatMap(({ device, outcome }) =>
            outcome.kind === 'sent' && outcome.provider_message_id !== undefined
              ? [{ device_id: device.id, ticket: outcome.provider_message_id }]
              : [],
          )
        return { ...combine(results.flat()), ...(tickets.length > 0 && { tickets }) }
      },
      receipts: expoReceipts(settings),
      // The connections belong to the shared client.
      close: async () => {},
    }
  },
}

function inBatches(devices: Device[]): Device[][] {
  const batches = Math.ceil(devices.length / DEVICES_PER_REQUEST)
  return Array.from({ length: batches }, (_, at) =>
    devices.slice(at * DEVICES_PER_REQUEST, (at + 1) * DEVICES_PER_REQUEST),
  )
}

function sendRequest(
  message: Message,
  devices: Device[],
  { config, secrets, now }: ProviderSettings<Config, Secrets>,
): HttpRequest {
  const { title, body, data } = pushContent(message)
  const { image, badge, channel_id } = pushLook(message)
  const key = collapseKey(message)
  return {
    method: 'POST',
    url: new URL('/--/api/v2/push/send', config.api_url),
    headers: expoHeaders(secrets.access_token),
    // An array, even for one message: to a bare message, Expo answers with a bare ticket.
    body: JSON.stringify([
      {
        to: devices.map(device => device.token),
        title,
        body,
        data,
        sound: 'default',
        ttl: ttlOf(message, config.ttl_seconds, now),
        ...(badge !== undefined && { badge }),
        ...(channel_id !== undefined && { channelId: channel_id }),
        ...(image !== undefined && { richContent: { image } }),
        collapseId: key,
        tag: key,
      },
    ]),
  }
}

/** In this case nothing was sent: Expo accepts devices of only one app per request, and a person may have two apps. */
function mixesProjects(answer: HttpAnswer): boolean {
  return jsonIn(answer, 'errors', 0, 'code') === 'PUSH_TOO_MANY_EXPERIENCE_IDS'
}

const Tickets = z.object({ data: z.array(z.unknown()) })
const Ticket = z.object({
  status: z.string(),
  id: z.string().optional(),
  message: z.string().default(''),
  details: z.object({ error: z.string().optional() }).nullish(),
})

/** One outcome per device, in the order of the request. */
function judge(answer: HttpAnswer, count: number, now: () => number): DeviceOutcome[] {
  const verdict = judgeAnswer(answer, [], undefined, now)
  if (verdict.kind !== 'sent') return Array.from({ length: count }, () => verdict)
  const tickets = readTickets(answer.body)
  if (tickets?.length === count) return tickets.map(judgeTicket)
  const message = 'Expo accepted the request but did not answer with one ticket per device'
  return Array.from({ length: count }, () => ({ kind: 'uncertain', message }))
}

function readTickets(body: string): unknown[] | undefined {
  try {
    return Tickets.safeParse(JSON.parse(body)).data?.data
  } catch {
    return undefined
  }
}

/** One that cannot be read says nothing about the other devices, which would get the push twice. */
function judgeTicket(given: unknown): DeviceOutcome {
  const ticket = readAs(Ticket, given)
  if (ticket === undefined)
    return { kind: 'uncertain', message: 'Expo answered with a ticket that cannot be read' }
  if (ticket.status === 'ok') {
    return { kind: 'sent', ...(ticket.id !== undefined && { provider_message_id: ticket.id }) }
  }
  const code = ticket.details?.error
  const message = [code, ticket.message].filter(Boolean).join(': ')
  switch (code) {
    case 'DeviceNotRegistered':
      return { kind: 'gone', message }
    case 'MessageRateExceeded':
      return { kind: 'rate_limited', message }
    case 'InvalidCredentials':
    case 'MismatchSenderId':
      return { kind: 'config', message }
    default:
      return { kind: 'permanent', message }
  }
}
