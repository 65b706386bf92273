/** Web push to browsers: encrypted for one browser (RFC 8291), signed with the site's own key (RFC 8292). */
import { createECDH } from 'node:crypto'
import webPushLibrary from 'web-push'
import { z } from 'zod'
import type { Device, Message } from '../../../content/messages/message.ts'
import { type HttpAnswer, HttpFailure, type HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { cut } from '../../../platform/text/cut.ts'
import { judgeAnswer } from '../http-provider.ts'
import type { ProviderKind, ProviderSettings } from '../kind.ts'
import { type DeviceOutcome, redacted, sendToDevices } from './devices.ts'
import { collapseKey, pushContent, TtlSeconds, ttlOf } from './push-content.ts'
import { isBase64url, readSubscription, type Subscription } from './web-push-subscription.ts'

const Config = z.strictObject({
  public_key: z
    .string()
    .refine(key => isBase64url(key, 65), 'expected 65 bytes in base64url without padding')
    .describe('The VAPID public key that the site subscribes its visitors with'),
  subject: z
    .url({ protocol: /^(https|mailto)$/ })
    .describe('Whom a push service may contact about our messages: a mailto: or https: URL'),
  ttl_seconds: TtlSeconds,
})
type Config = z.infer<typeof Config>

const Secrets = z.strictObject({
  private_key: z
    .string()
    .refine(key => isBase64url(key, 32), 'expected 32 bytes in base64url without padding')
    .describe('The VAPID private key'),
})
type Secrets = z.infer<typeof Secrets>

export const webPush: ProviderKind<Config, Secrets> = {
  name: 'web_push',
  title: 'Web push',
  channels: ['push'],
  devices: 'web_push',
  recipientEndpoints: true,
  config: Config,
  secrets: Secrets,
  create(settings) {
    const keysMatch = isKeyPair(settings.config.public_key, settings.secrets.private_key)

    async function deliver(message: Message, device: Device, signal: AbortSignal): Promise<DeviceOutcome> {
      if (!keysMatch) return { kind: 'config', message: 'the VAPID keys do not belong together' }
      const subscription = readSubscription(device.token)
      const request = subscription && encryptedRequest(message, subscription, settings)
      if (request === undefined)
        return { kind: 'gone', message: 'no browser could have made this subscription' }
      try {
        const answer = await settings.http.send(request, { signal, timeoutMs: settings.timeoutMs })
        return redacted(judge(answer, settings.now), [request.url as string, request.headers!.authorization!])
      } catch (error) {
        return judgeFailureAtEndpoint(error)
      }
    }

    return {
      name: settings.name,
      send: (message, signal) =>
        sendToDevices(message, 'web_push', device => deliver(message, device, signal)),
      // The connections belong to the shared client.
      close: async () => {},
    }
  },
}

/** Checked separately, because the encryption below would blame the browser's keys. */
function isKeyPair(publicKey: string, privateKey: string): boolean {
  try {
    const curve = createECDH('prime256v1')
    curve.setPrivateKey(privateKey, 'base64url')
    return curve.getPublicKey('base64url') === publicKey
  } catch {
    return false
  }
}

/** undefined when the browser's key is not a point on the curve. */
function encryptedRequest(
  message: Message,
  subscription: Subscription,
  { config, secrets, now }: ProviderSettings<Config, Secrets>,
): HttpRequest | undefined {
  try {
    const { headers, body, endpoint } = webPushLibrary.generateRequestDetails(
      subscription,
      JSON.stringify(pushContent(message)),
      {
        vapidDetails: {
          subject: config.subject,
          publicKey: config.public_key,
          privateKey: secrets.private_key,
        },
        TTL: ttlOf(message, config.ttl_seconds, now),
        urgency: 'normal',
        topic: collapseKey(message),
      },
    )
    return { method: 'POST', url: endpoint, headers: asText(headers), body: body! }
  } catch {
    return undefined
  }
}

function asText(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
}

function judge(answer: HttpAnswer, now: () => number): DeviceOutcome {
  if (answer.status === 404 || answer.status === 410) {
    return { kind: 'gone', message: `HTTP ${answer.status}: the subscription has ended` }
  }
  return judgeAnswer(answer, [], locationIn, now)
}

/** The URL of an accepted message is its id (RFC 8030, 5); anybody may run the endpoint, so the length is limited. */
function locationIn({ headers }: HttpAnswer): string | undefined {
  return headers.location && cut(headers.location, 500)
}

/** The subscriber chooses the endpoint: an internal address or a bad certificate there is not a configuration error. */
function judgeFailureAtEndpoint(error: unknown): DeviceOutcome {
  if (!(error instanceof HttpFailure) || (error.stage !== 'refused' && error.stage !== 'tls')) throw error
  return { kind: 'permanent', message: error.message }
}
