import { generateKeyPairSync } from 'node:crypto'
import { importSPKI, jwtVerify } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  type HttpReceiver,
  type ReceivedRequest,
  startHttpReceiver,
} from '../../../../test/receivers/http-receiver.ts'
import { describeProvider, type Scenario } from '../conformance.suite.ts'
import type { Outcome } from '../provider.ts'
import { fcm } from './fcm.ts'
import { aPush, createWithOwnClients, device, sendOnce } from './push-provider.fixture.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const NOW = Date.parse('2026-03-01T12:00:00Z')
const EMAIL = 'sender@demo.iam.gserviceaccount.com'

function serviceAccount(origin: string): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'demo',
    private_key_id: 'key-1',
    private_key: privateKey,
    client_email: EMAIL,
    client_id: '1234',
    token_uri: `${origin}/token`,
  })
}

function createFcm(origin: string, given: { timeoutMs?: number; now?: () => number } = {}) {
  return createWithOwnClients(fcm, {
    config: fcm.config.parse({ api_url: origin }),
    secrets: fcm.secrets.parse({ service_account: serviceAccount(origin) }),
    ...given,
  })
}

const isTokenRequest = ({ path }: ReceivedRequest) => path === '/token'
const tokenAnswer = (token = 'ya29.token-1'): Answer => ({
  body: JSON.stringify({ access_token: token, expires_in: 3599, token_type: 'Bearer' }),
})

/** As the service describes failures: Google's general status, and FCM's own code in the details. */
function failure(
  code: number,
  status: string,
  errorCode?: string,
  headers: Record<string, string> = {},
): Answer {
  const type = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.Help' },
    ...(errorCode === undefined ? [] : [{ '@type': type, errorCode }]),
  ]
  return { status: code, headers, body: JSON.stringify({ error: { code, message: 'no', status, details } }) }
}

const ACCEPTED: Answer = { body: JSON.stringify({ name: 'projects/demo/messages/0:1500415314455276' }) }

const ANSWERS: Record<Exclude<Scenario, 'is_unreachable'>, Answer> = {
  accepts: ACCEPTED,
  fails_for_now: failure(503, 'UNAVAILABLE', 'UNAVAILABLE'),
  throttles: failure(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', { 'retry-after': '60' }),
  refuses: failure(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'),
  rejects_credentials: failure(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
  hangs: 'hang',
}

describeProvider('fcm', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  throttle_ms: 60_000,
  message: aPush([device('fcm', 'device-token')]),
  async start(scenario, timeoutMs) {
    const receiver = await startHttpReceiver()
    const messages = () => receiver.requests.filter(request => !isTokenRequest(request))
    if (scenario === 'is_unreachable') await receiver.stop()
    else receiver.answerWith(request => (isTokenRequest(request) ? tokenAnswer() : ANSWERS[scenario]))
    return {
      provider: createFcm(new URL(receiver.url).origin, { timeoutMs }),
      receivedIds: () => messages().map(({ body }) => JSON.parse(String(body)).message.data.message_id),
      wasContacted: () => messages().length > 0,
      openConnections: () => receiver.connections.open,
      stop: () => receiver.stop(),
    }
  },
})

let receiver: HttpReceiver
let origin: string
beforeEach(async () => {
  receiver = await startHttpReceiver()
  origin = new URL(receiver.url).origin
})
afterEach(() => receiver.stop())

function answer(toMessage: Answer, toToken: Answer = tokenAnswer()): void {
  receiver.answerWith(request => (isTokenRequest(request) ? toToken : toMessage))
}

function push(tokens = ['device-token']): Promise<Outcome> {
  const devices = tokens.map((token, at) => device('fcm', token, `d${at}`))
  return sendOnce(createFcm(origin, { now: () => NOW }), aPush(devices))
}

describe('the request', () => {
  it('is exactly as documented, and small', { tags: 'S000-27' }, async () => {
    answer(ACCEPTED)
    expect(await push()).toMatchObject({
      kind: 'sent',
      provider_message_id: 'projects/demo/messages/0:1500415314455276',
      response: 'sent to 1 of 1 device',
    })
    const [, request] = receiver.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/projects/demo/messages:send',
      headers: { authorization: 'Bearer ya29.token-1', 'content-type': 'application/json' },
    })
    const body = JSON.parse(String(request?.body))
    const key = body.message.android.collapse_key
    expect(key).toMatch(/^[\w-]{32}$/)
    expect(body).toEqual({
      message: {
        token: 'device-token',
        notification: { title: 'Rechnung bezahlt – danke', body: 'Grüezi Ada, Rechnung 7 ist bezahlt.' },
        data: {
          message_id: 'rec-2.route-3',
          notification_id: '0197f2a0-0000-7000-8000-000000000002',
          type: 'invoice.paid',
          payload: '{"invoice":7}',
        },
        android: { collapse_key: key, ttl: '2419200s', notification: { tag: key } },
        apns: {
          headers: { 'apns-collapse-id': key, 'apns-expiration': String(NOW / 1000 + 2_419_200) },
          payload: { aps: { sound: 'default' } },
        },
        webpush: { headers: { Topic: key, TTL: '2419200' } },
      },
    })
  })
})

describe('the access token', () => {
  it('is requested with a signed assertion, as documented', async () => {
    answer(ACCEPTED)
    await push()
    const [request] = receiver.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    const form = new URLSearchParams(String(request?.body))
    expect([...form.keys()]).toEqual(['grant_type', 'assertion'])
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const assertion = await jwtVerify(form.get('assertion')!, await importSPKI(publicKey, 'RS256'), {
      currentDate: new Date(NOW),
    })
    expect(assertion.protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    expect(assertion.payload).toEqual({
      iss: EMAIL,
      aud: `${origin}/token`,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      iat: NOW / 1000,
      exp: NOW / 1000 + 3600,
    })
  })

  it('is shared by all requests that need it at once and reused until shortly before it expires', async () => {
    answer(ACCEPTED)
    let now = NOW
    const provider = createFcm(origin, { now: () => now })
    const send = () =>
      provider.send(aPush([device('fcm', 'a', '1'), device('fcm', 'b', '2')]), new AbortController().signal)
    await Promise.all([send(), send()])
    now += 58 * 60_000
    await send()
    expect(receiver.requests.filter(isTokenRequest)).toHaveLength(1)
    now += 60_000
    await send()
    expect(receiver.requests.filter(isTokenRequest)).toHaveLength(2)
    await provider.close()
  })

  it('is renewed once when the service refuses it', async () => {
    let issued = 0
    receiver.answerWith(request => {
      if (isTokenRequest(request)) {
        issued += 1
        return tokenAnswer(`token-${issued}`)
      }
      return request.headers.authorization === 'Bearer token-2' ? ACCEPTED : failure(401, 'UNAUTHENTICATED')
    })
    expect(await push()).toMatchObject({ kind: 'sent' })
    expect(issued).toBe(2)
  })

  it('is renewed only once: a second refusal is a configuration error', async () => {
    answer(failure(401, 'UNAUTHENTICATED'))
    expect(await push()).toMatchObject({ kind: 'config' })
    expect(receiver.requests).toHaveLength(4)
  })

  it.each<[string, Answer, string]>([
    ['a refused assertion', { status: 400, body: '{"error":"invalid_grant"}' }, 'config'],
    ['an unknown account', { status: 401, body: '{"error":"invalid_client"}' }, 'config'],
    ['throttling', { status: 429, headers: { 'retry-after': '9' } }, 'rate_limited'],
    ['an error of the endpoint', { status: 500 }, 'retry'],
    ['an answer without a token', { body: '{}' }, 'retry'],
    ['a cut connection, as no message has left', 'reset', 'retry'],
  ])('%s ends the attempt before anything is sent', async (_case, toToken, kind) => {
    answer(ACCEPTED, toToken)
    expect((await push()).kind).toBe(kind)
    expect(receiver.requests.every(isTokenRequest)).toBe(true)
  })
})

describe('the answer', () => {
  it.each<[string, Answer, Partial<Outcome>]>([
    [
      'UNREGISTERED',
      failure(404, 'NOT_FOUND', 'UNREGISTERED'),
      {
        kind: 'permanent',
        gone_devices: ['d0'],
        message: 'no device left: device d0: the app is no longer registered',
      },
    ],
    ['INVALID_ARGUMENT', failure(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'), { kind: 'permanent' }],
    [
      'INVALID_ARGUMENT about the token',
      {
        status: 400,
        body: JSON.stringify({
          error: {
            status: 'INVALID_ARGUMENT',
            message: 'The registration token is not a valid FCM registration token',
            details: [
              {
                '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
                errorCode: 'INVALID_ARGUMENT',
              },
              {
                '@type': 'type.googleapis.com/google.rpc.BadRequest',
                fieldViolations: [{ field: 'message.token', description: 'Invalid registration token' }],
              },
            ],
          },
        }),
      },
      { kind: 'permanent', rejected_devices: ['d0'] },
    ],
    ['INTERNAL', failure(500, 'INTERNAL', 'INTERNAL'), { kind: 'retry' }],
    [
      'UNAVAILABLE with a wait',
      failure(503, 'UNAVAILABLE', 'UNAVAILABLE', { 'retry-after': '30' }),
      { kind: 'retry', retry_after_ms: 30_000 },
    ],
    ['QUOTA_EXCEEDED', failure(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED'), { kind: 'rate_limited' }],
    ['THIRD_PARTY_AUTH_ERROR', failure(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'), { kind: 'config' }],
    [
      'SENDER_ID_MISMATCH, which is about one token',
      failure(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
      { kind: 'config', fault: 'recipient' },
    ],
    ['a gateway in between', { status: 502, body: '<!DOCTYPE html>' }, { kind: 'retry' }],
  ])('%s is judged correctly', async (_case, toMessage, expected) => {
    answer(toMessage)
    const outcome = await push()
    expect(outcome).toMatchObject(expected)
    expect(outcome.gone_devices).toEqual(expected.gone_devices)
    expect(receiver.requests).toHaveLength(2)
  })

  it('for one device does not affect the others', async () => {
    receiver.answerWith(request => {
      if (isTokenRequest(request)) return tokenAnswer()
      return String(request.body).includes('"old"') ? failure(404, 'NOT_FOUND', 'UNREGISTERED') : ACCEPTED
    })
    expect(await push(['new', 'old'])).toMatchObject({
      kind: 'sent',
      response: 'sent to 1 of 2 devices; device d1: the app is no longer registered',
      gone_devices: ['d1'],
    })
  })

  it('is stored without tokens that it echoes', { tags: 'S002-21' }, async () => {
    receiver.answerWith(request =>
      isTokenRequest(request)
        ? tokenAnswer()
        : {
            status: 400,
            body: `${request.headers.authorization} ${JSON.parse(String(request.body)).message.token}`,
          },
    )
    expect(await push()).toHaveProperty('message', 'device d0: HTTP 400: Bearer [redacted] [redacted]')
  })
})

it.each([
  ['no JSON', 'hello'],
  ['no service account', '{}'],
  ['an invalid key', serviceAccount('https://g.example').replace(/-----BEGIN[^"]*/, 'key')],
])('refuses %s as a service account without repeating it', { tags: 'S002-21' }, (_case, service_account) => {
  const { error } = fcm.secrets.safeParse({ service_account })
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'expected the JSON file of a service account with its private key',
  ])
})
