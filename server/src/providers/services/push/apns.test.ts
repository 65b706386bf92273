import { generateKeyPairSync } from 'node:crypto'
import { importSPKI, jwtVerify } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeProvider, type Scenario } from '../conformance.suite.ts'
import type { Outcome, Provider } from '../provider.ts'
import { apns } from './apns.ts'
import { type HttpsAnswer, type HttpsReceiver, startHttpsReceiver } from './https-receiver.fixture.ts'
import { aPush, createWithOwnClients, device, sendOnce } from './push-provider.fixture.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const NOW = Date.parse('2026-03-01T12:00:00Z')
const MINUTE_MS = 60_000
const TOKEN = '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0'

function createApns(origin: string, given: { timeoutMs?: number; now?: () => number } = {}): Provider {
  const config = { team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG', topic: 'org.example.app', api_url: origin }
  return createWithOwnClients(apns, {
    config: apns.config.parse(config),
    secrets: apns.secrets.parse({ private_key: privateKey }),
    ...given,
  })
}

const reason = (status: number, text: string, more: object = {}): HttpsAnswer => ({
  status,
  body: JSON.stringify({ reason: text, ...more }),
})

const ANSWERS: Record<Exclude<Scenario, 'is_unreachable'>, HttpsAnswer> = {
  accepts: { status: 200, headers: { 'apns-id': 'EC1BF194-B3B2-424A-89A9-5A918A6E6B5D' } },
  fails_for_now: reason(503, 'ServiceUnavailable'),
  throttles: reason(429, 'TooManyRequests'),
  refuses: reason(413, 'PayloadTooLarge'),
  rejects_credentials: reason(403, 'InvalidProviderToken'),
  hangs: 'hang',
}

describeProvider('apns', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  message: aPush([device('apns', TOKEN)]),
  async start(scenario, timeoutMs) {
    const receiver = await startHttpsReceiver()
    if (scenario === 'is_unreachable') await receiver.stop()
    else receiver.answerWith(() => ANSWERS[scenario])
    return {
      provider: createApns(receiver.origin, { timeoutMs }),
      receivedIds: () => receiver.requests.map(({ body }) => JSON.parse(String(body)).message_id),
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

function push(...devices: ReturnType<typeof device>[]): Promise<Outcome> {
  const given = devices.length > 0 ? devices : [device('apns', TOKEN, 'd0')]
  return sendOnce(createApns(receiver.origin, { now: () => NOW }), aPush(given))
}

const tokensUsed = () =>
  receiver.requests.map(({ headers }) => String(headers.authorization).slice('bearer '.length))

describe('the request', () => {
  it('goes over HTTP/2, exactly as documented, and is small', { tags: 'S000-27' }, async () => {
    receiver.answerWith(() => ANSWERS.accepts)
    expect(await push()).toMatchObject({
      kind: 'sent',
      provider_message_id: 'EC1BF194-B3B2-424A-89A9-5A918A6E6B5D',
      response: 'sent to 1 of 1 device',
    })
    const [request] = receiver.requests
    expect(request).toMatchObject({
      httpVersion: '2.0',
      method: 'POST',
      path: `/3/device/${TOKEN}`,
      headers: {
        ':scheme': 'https',
        'apns-topic': 'org.example.app',
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-expiration': String(NOW / 1000 + 2_419_200),
        'apns-id': expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        'apns-collapse-id': expect.stringMatching(/^[\w-]{1,64}$/),
      },
    })
    expect(JSON.parse(String(request?.body))).toEqual({
      aps: {
        alert: { title: 'Rechnung bezahlt – danke', body: 'Grüezi Ada, Rechnung 7 ist bezahlt.' },
        sound: 'default',
      },
      message_id: 'rec-2.route-3',
      notification_id: '0197f2a0-0000-7000-8000-000000000002',
      type: 'invoice.paid',
      payload: '{"invoice":7}',
    })
  })

  it('has a different apns-id for each device, and the same one on a repeat', {
    tags: 'S000-26',
  }, async () => {
    const devices = [device('apns', 'aa', 'd0'), device('apns', 'bb', 'd1')]
    await push(...devices)
    await push(...devices)
    const ids = new Set(receiver.requests.map(({ path, headers }) => `${path} ${headers['apns-id']}`))
    expect(ids.size).toBe(2)
    expect(new Set(receiver.requests.map(({ headers }) => headers['apns-id'])).size).toBe(2)
    expect(new Set(receiver.requests.map(({ headers }) => headers['apns-collapse-id'])).size).toBe(1)
  })

  it('cannot be led to another path by a device token', async () => {
    await push(device('apns', '../../x?y#z'))
    expect(receiver.requests[0]?.path).toBe('/3/device/..%2F..%2Fx%3Fy%23z')
  })
})

describe('the provider token', () => {
  it('is signed with ES256 and names key and team', async () => {
    await push()
    const { protectedHeader, payload } = await jwtVerify(
      tokensUsed()[0]!,
      await importSPKI(publicKey, 'ES256'),
    )
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'ABC123DEFG' })
    expect(payload).toEqual({ iss: 'DEF123GHIJ', iat: NOW / 1000 })
  })

  it('is reused for at least 20 minutes and never for more than an hour', async () => {
    let now = NOW
    const provider = createApns(receiver.origin, { now: () => now })
    for (const minutes of [0, 20, 49, 50, 69]) {
      now = NOW + minutes * MINUTE_MS
      await provider.send(aPush([device('apns', TOKEN)]), new AbortController().signal)
    }
    await provider.close()
    const [first, second, third, fourth, fifth] = tokensUsed()
    expect([second, third]).toEqual([first, first])
    expect(fourth).not.toBe(first)
    expect(fifth).toBe(fourth)
    expect(receiver.connections.opened).toBe(1)
  })

  it.each(['ExpiredProviderToken', 'InvalidProviderToken'])(
    'is renewed once when Apple answers %s to one that is old enough',
    async text => {
      let now = NOW
      const provider = createApns(receiver.origin, { now: () => now })
      const send = () => provider.send(aPush([device('apns', TOKEN)]), new AbortController().signal)
      await send()
      const [old] = tokensUsed()
      receiver.answerWith(({ headers }) =>
        headers.authorization === `bearer ${old}` ? reason(403, text) : {},
      )
      now += 20 * MINUTE_MS
      expect(await send()).toMatchObject({ kind: 'sent' })
      expect(receiver.requests).toHaveLength(3)
      receiver.answerWith(() => reason(403, text))
      now += 20 * MINUTE_MS
      expect(await send()).toMatchObject({ kind: 'config' })
      expect(receiver.requests).toHaveLength(5)
      await provider.close()
    },
  )

  it('is not renewed within 20 minutes, which Apple would refuse', async () => {
    receiver.answerWith(() => reason(403, 'InvalidProviderToken'))
    const provider = createApns(receiver.origin, { now: () => NOW })
    for (const _ of [1, 2, 3]) {
      const outcome = await provider.send(aPush([device('apns', TOKEN)]), new AbortController().signal)
      expect(outcome).toMatchObject({ kind: 'config' })
    }
    await provider.close()
    expect(receiver.requests).toHaveLength(3)
    expect(new Set(tokensUsed()).size).toBe(1)
  })
})

describe('the answer', () => {
  it.each<[HttpsAnswer, Partial<Outcome>]>([
    [
      reason(410, 'Unregistered', { timestamp: NOW }),
      { kind: 'permanent', gone_devices: ['d0'], gone_since: { d0: new Date(NOW).toISOString() } },
    ],
    [reason(410, 'ExpiredToken', { timestamp: NOW }), { kind: 'permanent', gone_devices: ['d0'] }],
    [reason(400, 'BadDeviceToken'), { kind: 'permanent', rejected_devices: ['d0'] }],
    [reason(400, 'DeviceTokenNotForTopic'), { kind: 'config', fault: 'recipient' }],
    [reason(400, 'BadTopic'), { kind: 'config' }],
    [reason(400, 'TopicDisallowed'), { kind: 'config' }],
    [reason(400, 'BadCollapseId'), { kind: 'permanent' }],
    [reason(400, 'IdleTimeout'), { kind: 'retry' }],
    [reason(403, 'Forbidden'), { kind: 'config' }],
    [reason(413, 'PayloadTooLarge'), { kind: 'permanent' }],
    [reason(429, 'TooManyRequests'), { kind: 'rate_limited' }],
    [reason(429, 'TooManyProviderTokenUpdates'), { kind: 'rate_limited' }],
    [reason(500, 'InternalServerError'), { kind: 'retry', retry_after_ms: 15 * MINUTE_MS }],
    [reason(503, 'ServiceUnavailable'), { kind: 'retry', retry_after_ms: 15 * MINUTE_MS }],
    [
      { status: 503, headers: { 'retry-after': '5' } },
      { kind: 'retry', retry_after_ms: 5000 },
    ],
    [reason(503, 'Shutdown'), { kind: 'retry' }],
    ['reset', { kind: 'uncertain' }],
    ['refuse', { kind: 'retry' }],
  ])('%j is judged correctly', async (answer, expected) => {
    receiver.answerWith(() => answer)
    const outcome = await push()
    expect(outcome).toMatchObject(expected)
    expect(outcome.gone_devices).toEqual(expected.gone_devices)
    expect(outcome.rejected_devices).toEqual(expected.rejected_devices)
    if (answer === 'refuse' || expected.kind !== 'retry') expect(outcome).not.toHaveProperty('retry_after_ms')
  })

  it('for one device does not affect the others, and all share a connection', async () => {
    receiver.answerWith(({ path }) => (path.endsWith('bb') ? reason(410, 'Unregistered') : {}))
    const outcome = await push(
      device('apns', 'aa', 'd0'),
      device('apns', 'bb', 'd1'),
      device('apns', 'cc', 'd2'),
    )
    expect(outcome).toMatchObject({
      kind: 'sent',
      response: 'sent to 2 of 3 devices; device d1: HTTP 410: Unregistered',
      gone_devices: ['d1'],
    })
    expect(receiver.connections.opened).toBe(1)
  })

  it('is stored without tokens that it echoes', { tags: 'S002-21' }, async () => {
    receiver.answerWith(({ headers, path }) => ({ status: 400, body: `${headers.authorization} ${path}` }))
    expect(await push()).toHaveProperty(
      'message',
      'device d0: HTTP 400: bearer [redacted] /3/device/[redacted]',
    )
  })
})

describe('the settings', () => {
  it('choose the server by the environment', () => {
    const config = { team_id: 'DEF123GHIJ', key_id: 'ABC123DEFG', topic: 'org.example.app' }
    expect(apns.config.parse(config)).toEqual({
      ...config,
      environment: 'production',
      ttl_seconds: 2_419_200,
    })
    expect(apns.config.safeParse({ ...config, api_url: 'http://plain.example' }).success).toBe(false)
    expect(apns.config.safeParse({ ...config, team_id: 'short' }).success).toBe(false)
  })

  it('refuse a key of another kind without repeating it', { tags: 'S002-21' }, () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    for (const private_key of ['hello', String(rsa.export({ type: 'pkcs8', format: 'pem' }))]) {
      const { error } = apns.secrets.safeParse({ private_key })
      expect(error?.issues.map(({ message }) => message)).toEqual([
        'expected the content of a .p8 file: a P-256 private key in PEM form',
      ])
    }
  })
})
