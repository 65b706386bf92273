import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type Answer,
  type HttpReceiver,
  type ReceivedRequest,
  startHttpReceiver,
} from '../../../../test/receivers/http-receiver.ts'
import { describeProvider, type Scenario } from '../conformance.suite.ts'
import type { Outcome, Provider } from '../provider.ts'
import { expo } from './expo.ts'
import { aPush, createWithOwnClients, device, sendOnce } from './push-provider.fixture.ts'

function createExpo(origin: string, given: { timeoutMs?: number; accessToken?: string } = {}): Provider {
  const { accessToken, ...settings } = given
  return createWithOwnClients(expo, {
    config: expo.config.parse({ api_url: origin }),
    secrets: expo.secrets.parse(accessToken === undefined ? {} : { access_token: accessToken }),
    ...settings,
  })
}

const messageIn = ({ body }: ReceivedRequest) => JSON.parse(String(body))[0]

const ok = (id: string) => ({ status: 'ok', id })
const error = (code: string, message = 'no') => ({ status: 'error', message, details: { error: code } })
const tickets = (...data: object[]): Answer => ({ body: JSON.stringify({ data }) })
const requestError = (status: number, code: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: JSON.stringify({ errors: [{ code, message: 'no' }] }),
})

const ANSWERS: Record<Exclude<Scenario, 'is_unreachable'>, Answer> = {
  accepts: tickets(ok('XXXX-1')),
  fails_for_now: { status: 503 },
  throttles: requestError(429, 'TOO_MANY_REQUESTS', { 'retry-after': '3' }),
  refuses: tickets(error('MessageTooBig')),
  rejects_credentials: requestError(401, 'UNAUTHORIZED'),
  hangs: 'hang',
}

describeProvider('expo', {
  scenarios: ['fails_for_now', 'throttles', 'refuses', 'rejects_credentials', 'hangs', 'is_unreachable'],
  throttle_ms: 3000,
  message: aPush([device('expo', 'ExponentPushToken[aaa]')]),
  async start(scenario, timeoutMs) {
    const receiver = await startHttpReceiver()
    if (scenario === 'is_unreachable') await receiver.stop()
    else receiver.answerWith(() => ANSWERS[scenario])
    return {
      provider: createExpo(new URL(receiver.url).origin, { timeoutMs }),
      receivedIds: () => receiver.requests.map(request => messageIn(request).data.message_id),
      wasContacted: () => receiver.requests.length > 0,
      openConnections: () => receiver.connections.open,
      stop: () => receiver.stop(),
    }
  },
})

let receiver: HttpReceiver
beforeEach(async () => {
  receiver = await startHttpReceiver()
})
afterEach(() => receiver.stop())

function push(tokens: string[], accessToken?: string): Promise<Outcome> {
  const devices = tokens.map((token, at) => device('expo', token, `d${at}`))
  const provider = createExpo(new URL(receiver.url).origin, {
    ...(accessToken !== undefined && { accessToken }),
  })
  return sendOnce(provider, aPush(devices))
}

/** A ticket for every device of a request, as the service returns them. */
function acceptAll(): void {
  receiver.answerWith(request =>
    tickets(...messageIn(request).to.map((_: string, at: number) => ok(`t-${at}`))),
  )
}

describe('the request', () => {
  it('is exactly as documented, one for all devices, and small', { tags: 'S000-27' }, async () => {
    acceptAll()
    expect(await push(['ExponentPushToken[aaa]', 'ExponentPushToken[bbb]'])).toMatchObject({
      kind: 'sent',
      provider_message_id: 't-0',
      response: 'sent to 2 of 2 devices',
    })
    expect(receiver.requests).toHaveLength(1)
    const [request] = receiver.requests
    expect(request).toMatchObject({
      method: 'POST',
      path: '/--/api/v2/push/send',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
    })
    expect(request?.headers).not.toHaveProperty('authorization')
    const key = messageIn(request!).collapseId
    expect(key).toMatch(/^[\w-]{32}$/)
    expect(JSON.parse(String(request?.body))).toEqual([
      {
        to: ['ExponentPushToken[aaa]', 'ExponentPushToken[bbb]'],
        title: 'Rechnung bezahlt – danke',
        body: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
        data: {
          message_id: 'rec-2.route-3',
          notification_id: '0197f2a0-0000-7000-8000-000000000002',
          type: 'invoice.paid',
          payload: '{"invoice":7}',
        },
        sound: 'default',
        ttl: 2_419_200,
        collapseId: key,
        tag: key,
      },
    ])
  })

  it('has the access token, if there is one', async () => {
    acceptAll()
    await push(['a'], 'expo-secret')
    expect(receiver.requests[0]?.headers.authorization).toBe('Bearer expo-secret')
  })

  it('names at most a hundred devices', async () => {
    acceptAll()
    const tokens = Array.from({ length: 250 }, (_, at) => `ExponentPushToken[${at}]`)
    expect(await push(tokens)).toMatchObject({ kind: 'sent', response: 'sent to 250 of 250 devices' })
    const sizes = receiver.requests.map(request => messageIn(request).to.length)
    expect(sizes.sort((a, b) => a - b)).toEqual([50, 100, 100])
    expect(new Set(receiver.requests.flatMap(request => messageIn(request).to))).toEqual(new Set(tokens))
  })

  it('is made per device when they belong to different apps', async () => {
    receiver.answerWith(request =>
      messageIn(request).to.length > 1
        ? requestError(400, 'PUSH_TOO_MANY_EXPERIENCE_IDS')
        : tickets(messageIn(request).to[0] === 'b' ? error('DeviceNotRegistered') : ok('t-1')),
    )
    expect(await push(['a', 'b', 'c'])).toMatchObject({
      kind: 'sent',
      response: expect.stringContaining('sent to 2 of 3 devices'),
      gone_devices: ['d1'],
    })
    expect(receiver.requests).toHaveLength(4)
  })
})

describe('the tickets', () => {
  it.each<[string, object[], Partial<Outcome>]>([
    ['DeviceNotRegistered', [error('DeviceNotRegistered')], { kind: 'permanent', gone_devices: ['d0'] }],
    ['MessageTooBig', [error('MessageTooBig')], { kind: 'permanent' }],
    ['MessageRateExceeded', [error('MessageRateExceeded')], { kind: 'rate_limited' }],
    ['InvalidCredentials', [error('InvalidCredentials')], { kind: 'config' }],
    ['MismatchSenderId', [error('MismatchSenderId')], { kind: 'config' }],
    [
      'an error without a code',
      [{ status: 'error', message: 'hm' }],
      { kind: 'permanent', message: 'device d0: hm' },
    ],
    ['too few tickets, although Expo accepted the request', [], { kind: 'uncertain' }],
  ])('%s: judged correctly', async (_case, data, expected) => {
    receiver.answerWith(() => tickets(...data))
    const outcome = await push(['a'])
    expect(outcome).toMatchObject(expected)
    expect(outcome.gone_devices).toEqual(expected.gone_devices)
  })

  it('belong to the devices in their order', async () => {
    receiver.answerWith(() => tickets(error('DeviceNotRegistered'), ok('t-1'), error('MessageRateExceeded')))
    expect(await push(['a', 'b', 'c'])).toMatchObject({
      kind: 'rate_limited',
      reached_devices: ['d1'],
      message:
        'sent to 1 of 3 devices; device d0: DeviceNotRegistered: no; device d2: MessageRateExceeded: no',
      gone_devices: ['d0'],
    })
  })

  it('are read even if there are a hundred long ones', async () => {
    const long = error('DeviceNotRegistered', 'x'.repeat(1000))
    receiver.answerWith(() => tickets(...Array.from({ length: 100 }, () => long)))
    const outcome = await push(Array.from({ length: 100 }, (_, at) => `token-${at}`))
    expect(outcome.gone_devices).toHaveLength(100)
  })

  it.each(['no json', '{}', '{"data":{"status":"ok"}}'])(
    'that cannot be read (%s) leave the outcome uncertain',
    async body => {
      receiver.answerWith(() => ({ body }))
      expect(await push(['a'])).toMatchObject({ kind: 'uncertain' })
    },
  )

  it('are stored without tokens that they echo', { tags: 'S002-21' }, async () => {
    receiver.answerWith(() =>
      tickets(error('DeviceNotRegistered', '"ExponentPushToken[aaa]" is no recipient (expo-secret)')),
    )
    expect(await push(['ExponentPushToken[aaa]'], 'expo-secret')).toHaveProperty(
      'message',
      'no device left: device d0: DeviceNotRegistered: "[redacted]" is no recipient ([redacted])',
    )
  })
})
