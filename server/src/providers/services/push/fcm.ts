/** Firebase Cloud Messaging, HTTP v1. */
import { z } from 'zod'
import type { Device, Message } from '../../../content/messages/message.ts'
import type { HttpAnswer, HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { type ErrorRule, jsonIn, judgeAnswer } from '../http-provider.ts'
import type { ProviderKind, ProviderSettings } from '../kind.ts'
import { known } from '../known.ts'
import { type DeviceOutcome, redacted, sendToDevices } from './devices.ts'
import { createAccessTokens, ServiceAccount } from './fcm-access-tokens.ts'
import { collapseKey, expiration, pushContent, pushLook, TtlSeconds, ttlOf } from './push-content.ts'

const Config = z.strictObject({
  api_url: z.url({ protocol: /^https?$/ }).default('https://fcm.googleapis.com'),
  ttl_seconds: TtlSeconds,
})
type Config = z.infer<typeof Config>

const Secrets = z.strictObject({
  service_account: z
    .string()
    .refine(isServiceAccount, 'expected the JSON file of a service account with its private key')
    .describe('The JSON file of a service account that may send messages'),
})
type Secrets = z.infer<typeof Secrets>

export const fcm: ProviderKind<Config, Secrets> = {
  name: 'fcm',
  title: 'Firebase Cloud Messaging',
  channels: ['push'],
  devices: 'fcm',
  config: Config,
  secrets: Secrets,
  create(settings) {
    const account = ServiceAccount.parse(JSON.parse(settings.secrets.service_account))
    const tokens = createAccessTokens({ ...settings, account })

    async function deliver(
      message: Message,
      device: Device,
      signal: AbortSignal,
      mayRenew = true,
    ): Promise<DeviceOutcome> {
      const access = await tokens.current(signal)
      if (!('token' in access)) return access
      const request = sendRequest(message, device, access.token, account.project_id, settings)
      const answer = await settings.http.send(request, { signal, timeoutMs: settings.timeoutMs })
      // Google may revoke a token early; a second refusal is taken at its word.
      if (mayRenew && refusesToken(answer)) {
        tokens.forget(access.token)
        return deliver(message, device, signal, false)
      }
      return redacted(judge(answer, settings.now), [access.token, device.token, account.private_key])
    }

    return {
      name: settings.name,
      send: (message, signal) => sendToDevices(message, 'fcm', device => deliver(message, device, signal)),
      close: async () => tokens.close(),
    }
  },
}

function sendRequest(
  message: Message,
  device: Device,
  accessToken: string,
  project: string,
  { config, now }: ProviderSettings<Config, Secrets>,
): HttpRequest {
  const { title, body, data } = pushContent(message)
  const { image, badge, channel_id } = pushLook(message)
  const ttl = ttlOf(message, config.ttl_seconds, now)
  const key = collapseKey(message)
  return {
    method: 'POST',
    url: new URL(`/v1/projects/${encodeURIComponent(project)}/messages:send`, config.api_url),
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      message: {
        token: device.token,
        notification: { title, body, ...(image !== undefined && { image }) },
        data,
        android: {
          collapse_key: key,
          ttl: `${ttl}s`,
          notification: {
            tag: key,
            ...(channel_id !== undefined && { channel_id }),
            ...(badge !== undefined && { notification_count: badge }),
          },
        },
        apns: {
          headers: { 'apns-collapse-id': key, 'apns-expiration': expiration(ttl, now) },
          payload: { aps: { sound: 'default', ...(badge !== undefined && { badge }) } },
        },
        webpush: { headers: { Topic: key, TTL: String(ttl) } },
      },
    }),
  }
}

const MEANING: Record<string, ErrorRule> = {
  INVALID_ARGUMENT: { then: 'permanent' },
  QUOTA_EXCEEDED: { then: 'rate_limited' },
  UNAVAILABLE: { then: 'retry' },
  INTERNAL: { then: 'retry' },
  // The token was made for another project, perhaps by an older version of the app: other devices are not concerned.
  SENDER_ID_MISMATCH: { then: 'config', fault: 'recipient' },
  THIRD_PARTY_AUTH_ERROR: { then: 'config' },
}

function judge(answer: HttpAnswer, now: () => number): DeviceOutcome {
  const code = errorCodeIn(answer)
  if (code === 'UNREGISTERED') return { kind: 'gone', message: 'the app is no longer registered' }
  if (code === 'INVALID_ARGUMENT' && isAboutToken(answer))
    return { kind: 'rejected', message: 'the token is not valid' }
  const meaning = known(MEANING, code)
  const rules = meaning === undefined ? [] : [meaning]
  return judgeAnswer(answer, rules, accepted => jsonIn(accepted, 'name'), now)
}

/** Anything else that is wrong with the request is named in the same way. */
function isAboutToken({ body }: HttpAnswer): boolean {
  return /"field":\s*"message\.token"/.test(body) || /registration token is not a valid/i.test(body)
}

/** The exception is a 401 too, but about the app's credentials with Apple or a browser: a new token would not help. */
function refusesToken(answer: HttpAnswer): boolean {
  return answer.status === 401 && errorCodeIn(answer) !== 'THIRD_PARTY_AUTH_ERROR'
}

/** FCM's own code is in the details; the status beside them is only Google's general one. */
function errorCodeIn(answer: HttpAnswer): string {
  for (let at = 0; jsonIn(answer, 'error', 'details', at, '@type') !== undefined; at += 1) {
    const code = jsonIn(answer, 'error', 'details', at, 'errorCode')
    if (code !== undefined) return code
  }
  return jsonIn(answer, 'error', 'status') ?? ''
}

function isServiceAccount(text: string): boolean {
  try {
    return ServiceAccount.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
