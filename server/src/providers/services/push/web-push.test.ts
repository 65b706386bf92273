import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto'
import { importJWK, jwtVerify } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Device } from '../../../content/messages/message.ts'
import { createAddressGuard } from '../../../platform/outgoing/address-guard.ts'
import { createHttpClient } from '../../../platform/outgoing/http-client.ts'
import { describeProvider, type Scenario } from '../conformance.suite.ts'
import type { Outcome, Provider } from '../provider.ts'
import { type HttpsAnswer, type HttpsReceiver, startHttpsReceiver } from './https-receiver.fixture.ts'
import { localhost } from './localhost.fixture.ts'
import { aPush, createWithOwnClients, device, sendOnce } from './push-provider.fixture.ts'
import { webPush } from './web-push.ts'

const vapid = newCurve()

function newCurve(): ECDH {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  return curve
}

/** The browser's side: only it can read what is sent to it. */
const browser = { keys: newCurve(), auth: randomBytes(16) }

function subscription(endpoint: string, keys: object = {}): string {
  return JSON.stringify({
    endpoint,
    expirationTime: null,
    keys: {
      p256dh: browser.keys.getPublicKey('base64url'),
      auth: browser.auth.toString('base64url'),
      ...keys,
    },
  })
}

/** RFC 8291, 3.4, and RFC 8188, 2: from the first byte to the padding delimiter. */
function decrypt(body: Buffer): unknown {
  const salt = body.subarray(0, 16)
  const keyLength = body.readUInt8(20)
  const sender = body.subarray(21, 21 + keyLength)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.keys.getPublicKey(), sender])
  const shared = Buffer.from(hkdfSync('sha256', browser.keys.computeSecret(sender), browser.auth, info, 32))
  const key = hkdfSync('sha256', shared, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = hkdfSync('sha256', shared, salt, 'Content-Encoding: nonce\0', 12)
  const decipher = createDecipheriv('aes-128-gcm', Buffer.from(key), Buffer.from(nonce))
  decipher.setAuthTag(body.subarray(-16))
  const padded = Buffer.concat([decipher.update(body.subarray(21 + keyLength, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  expect(padded.subarray(end + 1).every(byte => byte === 0)).toBe(true)
  return JSON.parse(padded.subarray(0, end).toString())
}

interface Given {
  timeoutMs?: number
  http?: ReturnType<typeof createHttpClient>
  privateKey?: string
}

function createWebPush({ privateKey = privateKeyOf(vapid), ...given }: Given = {}): Provider {
  const config = {
    public_key: vapid.getPublicKey('base64url'),
    subject: 'mailto:ops@example.org',
    ttl_seconds: 3600,
  }
  return createWithOwnClients(webPush, {
    config: webPush.config.parse(config),
    secrets: webPush.secrets.parse({ private_key: privateKey }),
    ...given,
  })
}

/** A key may begin with zeros, which the library omits. */
function privateKeyOf(curve: ECDH): string {
  return Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()])
    .subarray(-32)
    .toString('base64url')
}

const ANSWERS: Record<Exclude<Scenario, 'is_unreachable'>, HttpsAnswer> = {
  accepts: { status: 201, headers: { location: 'https://push.example/message/7' } },
  fails_for_now: { status: 500 },
  throttles: { status: 429, headers: { 'retry-after': '120' } },
  refuses: { status: 413 },
  rejects_credentials: { status: 403 },
  hangs: 'hang',
}

// The conformance suite sends its own message; the endpoint is only known once the receiver runs.
const target = { token: '' }
const pushDevice: Device = {
  id: 'd0',
  kind: 'web_push',
  get token() {
    return target.token
  },
}

describeProvider('web_push', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  throttle_ms: 120_000,
  message: aPush([pushDevice]),
  async start(scenario, timeoutMs) {
    const receiver = await startHttpsReceiver()
    target.token = subscription(`${receiver.origin}/push/abc`)
    if (scenario === 'is_unreachable') await receiver.stop()
    else receiver.answerWith(() => ANSWERS[scenario])
    return {
      provider: createWebPush({ timeoutMs }),
      receivedIds: () =>
        receiver.requests.map(
          ({ body }) => (decrypt(body) as { data: { message_id: string } }).data.message_id,
        ),
      wasContacted: () => receiver.requests.length > 0,
      openConnections: () => receiver.connections.open,
      stop: () => receiver.stop(),
    }
  },
})

let receiver: HttpsReceiver
beforeEach(async () => {
  receiver = await startHttpsReceiver()
})
afterEach(() => receiver.stop())

function push(token = subscription(`${receiver.origin}/push/abc?x=1`), given: Given = {}): Promise<Outcome> {
  return sendOnce(createWebPush(given), aPush([device('web_push', token, 'd0')]))
}

describe('the request', () => {
  it('can be read by the browser and has the documented headers', { tags: 'S000-27' }, async () => {
    receiver.answerWith(() => ANSWERS.accepts)
    expect(await push()).toMatchObject({
      kind: 'sent',
      provider_message_id: 'https://push.example/message/7',
      response: 'sent to 1 of 1 device',
    })
    const [request] = receiver.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/push/abc?x=1',
      headers: {
        ttl: '3600',
        urgency: 'normal',
        topic: expect.stringMatching(/^[\w-]{32}$/),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        'content-length': String(request?.body.length),
      },
    })
    expect(request?.body.length).toBeLessThanOrEqual(4096)
    expect(decrypt(request!.body)).toEqual({
      title: 'Rechnung bezahlt – danke',
      body: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      data: {
        message_id: 'rec-2.route-3',
        notification_id: '0197f2a0-0000-7000-8000-000000000002',
        type: 'invoice.paid',
        payload: '{"invoice":7}',
      },
    })
  })

  it('proves who sends it, to this push service only', async () => {
    await push()
    const authorization = String(receiver.requests[0]?.headers.authorization)
    const [, token, key] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
    expect(key).toBe(vapid.getPublicKey('base64url'))
    const point = vapid.getPublicKey()
    const publicKey = await importJWK({
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      alg: 'ES256',
    })
    const { payload } = await jwtVerify(token!, publicKey, { audience: receiver.origin })
    expect(payload.sub).toBe('mailto:ops@example.org')
    expect(payload.exp! - Date.now() / 1000).toBeGreaterThan(0)
    expect(payload.exp! - Date.now() / 1000).toBeLessThanOrEqual(24 * 3600)
  })

  it('fits into what every push service accepts, even with a long text', async () => {
    const devices = [device('web_push', subscription(receiver.origin))]
    await sendOnce(createWebPush(), aPush(devices, { subject: '🦉'.repeat(5000), text: '🦉'.repeat(50_000) }))
    expect(receiver.requests[0]?.body.length).toBeLessThanOrEqual(3000)
  })
})

describe('the answer', () => {
  it.each<[HttpsAnswer, Partial<Outcome>]>([
    [{ status: 404 }, { kind: 'permanent', gone_devices: ['d0'] }],
    [{ status: 410 }, { kind: 'permanent', gone_devices: ['d0'] }],
    [{ status: 400 }, { kind: 'permanent' }],
    [{ status: 413 }, { kind: 'permanent' }],
    [{ status: 429 }, { kind: 'rate_limited' }],
    [{ status: 503 }, { kind: 'retry' }],
    [{ status: 202 }, { kind: 'sent' }],
    [{ status: 307, headers: { location: 'https://elsewhere.example' } }, { kind: 'permanent' }],
  ])('%j is judged correctly', async (answer, expected) => {
    receiver.answerWith(() => answer)
    const outcome = await push()
    expect(outcome).toMatchObject(expected)
    expect(outcome.gone_devices).toEqual(expected.gone_devices)
    expect(receiver.requests).toHaveLength(1)
  })

  it('is stored without an endpoint and signature that it echoes', { tags: 'S002-21' }, async () => {
    receiver.answerWith(({ headers, path }) => ({
      status: 400,
      body: `${receiver.origin}${path} ${headers.authorization}`,
    }))
    expect(await push()).toHaveProperty('message', 'device d0: HTTP 400: [redacted] [redacted]')
  })
})

describe('a subscription comes from outside', () => {
  it.each([
    ['no JSON', 'hello'],
    ['no keys', '{"endpoint":"https://push.example/1"}'],
    ['a URL without https', subscription('http://push.example/1')],
    ['no address', subscription('not a url')],
    ['an endpoint of the retired GCM', subscription('https://android.googleapis.com/gcm/send/abc')],
    ['a short key', subscription('https://push.example/1', { p256dh: 'BAAA' })],
    ['a short secret', subscription('https://push.example/1', { auth: 'AAAA' })],
    [
      'a key that is not a point on the curve',
      subscription('https://push.example/1', { p256dh: Buffer.alloc(65, 4).toString('base64url') }),
    ],
  ])('with %s it is removed', async (_case, token) => {
    expect(await push(token)).toMatchObject({ kind: 'permanent', gone_devices: ['d0'] })
  })

  it('padded keys are accepted', async () => {
    const padded = { auth: `${browser.auth.toString('base64url')}==` }
    expect(await push(subscription(receiver.origin, padded))).toMatchObject({ kind: 'sent' })
  })

  it.each([
    'https://127.0.0.1:PORT/',
    'https://localhost:PORT/',
    'https://[::1]:PORT/',
    'https://169.254.169.254/',
  ])(
    '%s is refused by the address guard, which is not a configuration error',
    { tags: 'S002-22' },
    async template => {
      const http = createHttpClient({ guard: createAddressGuard(), tls: { ca: localhost.cert } })
      const outcome = await push(subscription(template.replace('PORT', new URL(receiver.origin).port)), {
        http,
      })
      expect(outcome).toMatchObject({
        kind: 'permanent',
        message: expect.stringMatching(/(is not|does not lead to) a public address/),
      })
      expect(outcome.gone_devices).toBeUndefined()
      expect(receiver.connections.opened).toBe(0)
    },
  )

  it('a bad certificate is not a configuration error', { tags: 'S002-22' }, async () => {
    const http = createHttpClient({ guard: createAddressGuard(['127.0.0.0/8']) })
    expect(await push(undefined, { http })).toMatchObject({ kind: 'permanent' })
  })
})

it('keys that do not belong together are a configuration error, and no device is removed', async () => {
  expect(await push(undefined, { privateKey: privateKeyOf(newCurve()) })).toEqual({
    kind: 'config',
    message: 'device d0: the VAPID keys do not belong together',
  })
  expect(receiver.requests).toEqual([])
})

it('refuses settings that the protocol does not allow', () => {
  const good = { public_key: vapid.getPublicKey('base64url'), subject: 'https://example.org' }
  expect(webPush.config.safeParse(good).success).toBe(true)
  expect(webPush.config.safeParse({ ...good, subject: 'ops@example.org' }).success).toBe(false)
  expect(webPush.config.safeParse({ ...good, subject: 'http://example.org' }).success).toBe(false)
  expect(webPush.config.safeParse({ ...good, public_key: 'abc' }).success).toBe(false)
  expect(webPush.secrets.safeParse({ private_key: 'abc' }).success).toBe(false)
})
