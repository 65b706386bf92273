import { describe, expect, it } from 'vitest'
import { HttpFailure } from '../../../platform/outgoing/http-client.ts'
import type { Outcome } from '../provider.ts'
import { type DeviceOutcome, redacted, sendToDevices } from './devices.ts'
import { aPush, device } from './push-provider.fixture.ts'

const sent: DeviceOutcome = { kind: 'sent', provider_message_id: 'p-1', response: 'ok' }
const gone: DeviceOutcome = { kind: 'gone', message: 'uninstalled' }
const retry: DeviceOutcome = { kind: 'retry', message: 'busy', retry_after_ms: 5000 }
const throttled: DeviceOutcome = { kind: 'rate_limited', message: 'slow down', retry_after_ms: 3000 }
const config: DeviceOutcome = { kind: 'config', message: 'bad key' }
const uncertain: DeviceOutcome = { kind: 'uncertain', message: 'no answer' }
const permanent: DeviceOutcome = { kind: 'permanent', message: 'too big' }

/** The devices are called d0, d1 and so on, in the order of their outcomes. */
function outcomeOf(...outcomes: DeviceOutcome[]): Promise<Outcome> {
  const devices = outcomes.map((_, at) => device('fcm', String(at), `d${at}`))
  return sendToDevices(aPush(devices), 'fcm', async ({ token }) => outcomes[Number(token)]!)
}

describe('the outcome of several devices', () => {
  it.each<[string, DeviceOutcome[], Outcome]>([
    [
      'all sent',
      [sent, sent],
      {
        kind: 'sent',
        provider_message_id: 'p-1',
        response: 'sent to 2 of 2 devices',
        reached_devices: ['d0', 'd1'],
      },
    ],
    [
      'the only one sent',
      [sent],
      {
        kind: 'sent',
        provider_message_id: 'p-1',
        response: 'sent to 1 of 1 device',
        reached_devices: ['d0'],
      },
    ],
    [
      'one sent, and the others will not get it',
      [gone, permanent, config, sent],
      {
        kind: 'sent',
        provider_message_id: 'p-1',
        response: 'sent to 1 of 4 devices; device d0: uninstalled; device d1: too big; device d2: bad key',
        reached_devices: ['d3'],
        gone_devices: ['d0'],
      },
    ],
    [
      'one sent, and another may get it later',
      [gone, config, retry, sent],
      {
        kind: 'retry',
        message: 'sent to 1 of 4 devices; device d0: uninstalled; device d1: bad key; device d2: busy',
        retry_after_ms: 5000,
        reached_devices: ['d3'],
        gone_devices: ['d0'],
      },
    ],
    [
      'one sent, and another may have it',
      [uncertain, sent],
      {
        kind: 'uncertain',
        message: 'sent to 1 of 2 devices; device d0: no answer',
        reached_devices: ['d1'],
      },
    ],
    [
      'all gone',
      [gone, gone],
      {
        kind: 'permanent',
        message: 'no device left: device d0: uninstalled; device d1: uninstalled',
        gone_devices: ['d0', 'd1'],
      },
    ],
    [
      'one throttled: the longest wait counts',
      [retry, throttled],
      { kind: 'rate_limited', message: 'device d0: busy; device d1: slow down', retry_after_ms: 5000 },
    ],
    [
      'one may succeed later, which outweighs final failures',
      [config, uncertain, retry, permanent],
      {
        kind: 'retry',
        message: 'device d0: bad key; device d1: no answer; device d2: busy; device d3: too big',
        retry_after_ms: 5000,
      },
    ],
    [
      'no wait requested',
      [{ kind: 'retry', message: 'busy' }],
      { kind: 'retry', message: 'device d0: busy' },
    ],
    [
      'wrong settings',
      [uncertain, config],
      { kind: 'config', message: 'device d0: no answer; device d1: bad key' },
    ],
    [
      'perhaps delivered',
      [gone, uncertain],
      { kind: 'uncertain', message: 'device d0: uninstalled; device d1: no answer', gone_devices: ['d0'] },
    ],
    [
      'refused by one and gone from the other',
      [permanent, gone],
      { kind: 'permanent', message: 'device d0: too big; device d1: uninstalled', gone_devices: ['d1'] },
    ],
    ['no device at all', [], { kind: 'permanent', message: 'no device left' }],
  ])('%s', async (_case, outcomes, expected) => {
    expect(await outcomeOf(...outcomes)).toEqual(expected)
  })
})

it('sends only to devices of its kind, and to all of them at once', async () => {
  const started: string[] = []
  let release = () => {}
  const all = new Promise<void>(resolve => {
    release = resolve
  })
  const devices = [device('fcm', 'a', '1'), device('apns', 'b', '2'), device('fcm', 'c', '3')]
  const outcome = await sendToDevices(aPush(devices), 'fcm', async ({ id }) => {
    started.push(id)
    if (started.length === 2) release()
    await all
    return sent
  })
  expect(started).toEqual(['1', '3'])
  expect(outcome).toMatchObject({ kind: 'sent', response: 'sent to 2 of 2 devices' })
})

it.each([
  [new HttpFailure('unsent', 'refused'), 'retry'],
  [new HttpFailure('uncertain', 'cut'), 'uncertain'],
  [new HttpFailure('tls', 'expired'), 'config'],
  [new TypeError('Invalid URL'), 'permanent'],
])('an attempt that throws %s becomes an outcome', async (error, kind) => {
  const outcome = await sendToDevices(aPush([device('fcm', 'a')]), 'fcm', () => Promise.reject(error))
  expect(outcome.kind).toBe(kind)
})

it('tokens are removed from what is stored', { tags: 'S002-21' }, () => {
  expect(redacted({ kind: 'gone', message: '"tok-1234" is gone' }, ['tok-1234']).kind).toBe('gone')
  expect(redacted({ kind: 'gone', message: '"tok-1234" is gone' }, ['tok-1234'])).toHaveProperty(
    'message',
    '"[redacted]" is gone',
  )
  expect(redacted({ kind: 'sent', response: 'tok-1234' }, ['tok-1234'])).toHaveProperty(
    'response',
    '[redacted]',
  )
})
