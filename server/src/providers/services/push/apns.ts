/** Apple Push Notification service, with token-based authentication. */
import { z } from 'zod'
import type { Device, Message } from '../../../content/messages/message.ts'
import type { HttpAnswer, HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { type ErrorRule, jsonIn, judgeAnswer } from '../http-provider.ts'
import type { ProviderKind, ProviderSettings } from '../kind.ts'
import { known } from '../known.ts'
import { isPrivateKey } from '../private-key.ts'
import { token } from '../secret-text.ts'
import { createProviderTokens } from './apns-provider-tokens.ts'
import { type DeviceOutcome, redacted, sendToDevices } from './devices.ts'
import {
  collapseKey,
  expiration,
  pushContent,
  pushLook,
  stableUuid,
  TtlSeconds,
  ttlOf,
} from './push-content.ts'

const SERVERS = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
}

const Config = z.strictObject({
  team_id: z.string().regex(/^[A-Z0-9]{10}$/, 'expected ten capital letters and digits'),
  key_id: z.string().regex(/^[A-Z0-9]{10}$/, 'expected ten capital letters and digits'),
  topic: token.describe("The app's bundle id"),
  environment: z.enum(['production', 'sandbox']).default('production'),
  api_url: z
    .url({ protocol: /^https$/ })
    .optional()
    .describe("A server other than the environment's"),
  ttl_seconds: TtlSeconds,
})
type Config = z.infer<typeof Config>

const Secrets = z.strictObject({
  private_key: z
    .string()
    .refine(
      pem => isPrivateKey(pem, 'ec'),
      'expected the content of a .p8 file: a P-256 private key in PEM form',
    )
    .describe('The content of the .p8 file'),
})
type Secrets = z.infer<typeof Secrets>

export const apns: ProviderKind<Config, Secrets> = {
  name: 'apns',
  title: 'Apple Push Notification service',
  channels: ['push'],
  devices: 'apns',
  config: Config,
  secrets: Secrets,
  create(settings) {
    const { config, secrets } = settings
    const tokens = createProviderTokens({
      privateKey: secrets.private_key,
      keyId: config.key_id,
      teamId: config.team_id,
      now: settings.now,
    })

    async function deliver(
      message: Message,
      device: Device,
      signal: AbortSignal,
      mayRenew = true,
    ): Promise<DeviceOutcome> {
      const token = await tokens.current()
      const request = deviceRequest(message, device, token, settings)
      const answer = await settings.http2.send(request, { signal, timeoutMs: settings.timeoutMs })
      if (mayRenew && refusesToken(answer) && tokens.renew(token))
        return deliver(message, device, signal, false)
      return redacted(judge(answer, settings.now), [token, device.token, secrets.private_key])
    }

    return {
      name: settings.name,
      send: (message, signal) => sendToDevices(message, 'apns', device => deliver(message, device, signal)),
      // The connections belong to the shared client.
      close: async () => {},
    }
  },
}

function deviceRequest(
  message: Message,
  device: Device,
  token: string,
  { config, now }: ProviderSettings<Config, Secrets>,
): HttpRequest {
  const { title, body, data } = pushContent(message)
  const { badge, image } = pushLook(message)
  return {
    method: 'POST',
    url: new URL(
      `/3/device/${encodeURIComponent(device.token)}`,
      config.api_url ?? SERVERS[config.environment],
    ),
    // Apple refuses the tokens of two teams on one connection with InvalidProviderToken.
    connectionKey: `${config.team_id} ${config.key_id}`,
    headers: {
      authorization: `bearer ${token}`,
      'content-type': 'application/json',
      'apns-id': stableUuid(message.message_id, device.id),
      'apns-topic': config.topic,
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': expiration(ttlOf(message, config.ttl_seconds, now), now),
      'apns-collapse-id': collapseKey(message),
    },
    body: JSON.stringify({
      aps: {
        alert: { title, body },
        sound: 'default',
        ...(badge !== undefined && { badge }),
        // So that the app's extension may fetch the image.
        ...(image !== undefined && { 'mutable-content': 1 }),
      },
      ...data,
    }),
  }
}

const GONE = ['ExpiredToken', 'Unregistered']

/** Where the reason says more than the status. */
const MEANING: Record<string, ErrorRule> = {
  BadTopic: { then: 'config' },
  // Not `gone`: with a wrong topic in the settings, this would remove every device.
  DeviceTokenNotForTopic: { then: 'config', fault: 'recipient' },
  IdleTimeout: { then: 'retry' },
  MissingTopic: { then: 'config' },
  TooManyRequests: { then: 'rate_limited', fault: 'recipient' },
  TopicDisallowed: { then: 'config' },
}

/** Apple asks for this wait after errors of its own, but not when one of its servers shuts down: others are running. */
const WAIT_AFTER_ERROR_MS = 15 * 60_000

function judge(answer: HttpAnswer, now: () => number): DeviceOutcome {
  const reason = jsonIn(answer, 'reason') ?? ''
  const message = `HTTP ${answer.status}: ${reason}`
  // Also the answer to every token of the other environment.
  if (reason === 'BadDeviceToken') return { kind: 'rejected', message }
  if (GONE.includes(reason)) return { kind: 'gone', message, ...goneSince(answer) }
  const meaning = known(MEANING, reason)
  const rules = meaning === undefined ? [] : [meaning]
  const outcome = judgeAnswer(answer, rules, ({ headers }) => headers['apns-id'], now)
  if (answer.status < 500 || outcome.kind !== 'retry' || reason === 'Shutdown') return outcome
  return { retry_after_ms: WAIT_AFTER_ERROR_MS, ...outcome }
}

/** Apple says when it noticed, in milliseconds since 1970. */
function goneSince(answer: HttpAnswer): { since?: Date } {
  const since = new Date(Number(jsonIn(answer, 'timestamp')))
  return Number.isNaN(since.getTime()) ? {} : { since }
}

function refusesToken(answer: HttpAnswer): boolean {
  const reason = jsonIn(answer, 'reason')
  return reason === 'ExpiredProviderToken' || reason === 'InvalidProviderToken'
}
