import { describe, expect, it } from 'vitest'
import { type Answer, startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import type { Outcome } from '../provider.ts'
import { someSettings } from '../settings.fixture.ts'
import { twilio } from './twilio.ts'

const SID = 'AC0123456789abcdef0123456789abcdef'
const TOKEN = 'f00dfacef00dfacef00dfacef00dface'

/** A refusal in the form of Twilio's documentation. */
function refusal(status: number, code: number) {
  const more_info = `https://www.twilio.com/docs/errors/${code}`
  return { status, body: JSON.stringify({ code, message: 'Refused', more_info, status }) }
}

describeHttpKind({
  kind: twilio,
  config: base_url => ({ account_sid: SID, from: '+15557122661', base_url }),
  secrets: () => ({ auth_token: TOKEN }),
  settings: { callbackUrl: 'https://bells.example/v1/callbacks/p-1' },
  message: { channel: 'sms', address: '+41790000000' },
  request: {
    method: 'POST',
    path: `/2010-04-01/Accounts/${SID}/Messages.json`,
    headers: {
      authorization: `Basic ${btoa(`${SID}:${TOKEN}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': 'rec-2.route-3',
    },
    body: {
      To: '+41790000000',
      From: '+15557122661',
      Body: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      StatusCallback: 'https://bells.example/v1/callbacks/p-1?message_id=rec-2.route-3',
    },
  },
  messageIdIn: ({ body }) =>
    new URL(new URLSearchParams(body.toString()).get('StatusCallback')!).searchParams.get('message_id')!,
  answers: {
    accepts: { status: 201, body: '{"sid":"SM0123","status":"queued","error_code":null}' },
    fails_for_now: { status: 503, body: 'Service Unavailable' },
    throttles: { ...refusal(429, 20429), headers: { 'retry-after': '3' } },
    refuses: refusal(400, 21617),
    rejects_credentials: refusal(401, 20003),
  },
  throttle_ms: 3000,
  sent: { provider_message_id: 'SM0123' },
  rules: [
    ['20003: wrong credentials, whatever the status', refusal(400, 20003), { kind: 'config' }],
    ['20429: too many requests', refusal(429, 20429), { kind: 'rate_limited' }],
    ["21611: the sender's queue is full", refusal(429, 21611), { kind: 'rate_limited' }],
    ['63038: daily limit', refusal(429, 63038), { kind: 'rate_limited' }],
    ['21610: STOP', refusal(400, 21610), { kind: 'permanent', suppress: 'unsubscribed' }],
    ['21211: invalid number', refusal(400, 21211), { kind: 'permanent', suppress: 'invalid' }],
    ['21614: not a mobile number', refusal(400, 21614), { kind: 'permanent', suppress: 'invalid' }],
    ['21635: a landline', refusal(400, 21635), { kind: 'permanent', suppress: 'invalid' }],
    ['21608: trial account', refusal(400, 21608), { kind: 'config' }],
    ['21408: country not enabled', refusal(403, 21408), { kind: 'config' }],
    ['21606: not our number', refusal(400, 21606), { kind: 'config' }],
    ...[21612, 21701, 21703, 21704, 21910, 63007].map((code): [string, Answer, Partial<Outcome>] => [
      `${code}: about the sender or the messaging service`,
      refusal(400, code),
      { kind: 'config' },
    ]),
    ['21617: too long', refusal(400, 21617), { kind: 'permanent' }],
  ],
})

async function sentForm(config: object, message = {}, callbackUrl?: string): Promise<URLSearchParams> {
  const receiver = await startHttpReceiver()
  const base_url = new URL(receiver.url).origin
  const settings = someSettings({
    config: twilio.config.parse({ account_sid: SID, base_url, ...config }),
    secrets: { auth_token: TOKEN },
    callbackUrl,
  })
  await twilio.create(settings).send(aMessage(message), new AbortController().signal)
  await settings.http.close()
  await receiver.stop()
  return new URLSearchParams(receiver.requests[0]?.body.toString())
}

describe('the form', () => {
  it('names the messaging service instead of a sender', async () => {
    const form = await sentForm({ messaging_service_sid: 'MG0123' })
    expect(form.get('MessagingServiceSid')).toBe('MG0123')
    expect(form.has('From')).toBe(false)
  })

  it('does not ask for reports when Carillon cannot be reached', async () => {
    expect((await sentForm({ from: 'Acme' })).has('StatusCallback')).toBe(false)
  })

  it('keeps the query of the callback URL', async () => {
    const form = await sentForm({ from: 'Acme' }, {}, 'https://bells.example/cb?k=1')
    expect(form.get('StatusCallback')).toBe('https://bells.example/cb?k=1&message_id=rec-2.route-3')
  })

  it('holds at most 1600 characters', async () => {
    const body = (await sentForm({ from: 'Acme' }, { text: 'x'.repeat(1601) })).get('Body')
    expect(body).toBe(`${'x'.repeat(1597)}...`)
  })
})

it('the settings need either a sender or a messaging service', () => {
  expect(() => twilio.config.parse({ account_sid: SID })).toThrow('Either from or messaging_service_sid')
})

describe('asked whether it has a message', () => {
  const SINCE = new Date('2026-03-01T12:00:00Z')
  const created = (date_created: string) => ({
    sid: 'SM1',
    date_created,
    direction: 'outbound-api',
    body: 'x',
  })
  const list = (...messages: object[]) => ({ messages, next_page_uri: null })

  async function ask(answer: Answer) {
    const receiver = await startHttpReceiver()
    receiver.answerWith(() => answer)
    const config = twilio.config.parse({
      account_sid: SID,
      from: 'Acme',
      base_url: new URL(receiver.url).origin,
    })
    const settings = someSettings({ config, secrets: { auth_token: TOKEN } })
    const message = aMessage({ channel: 'sms', address: '+41790000000' })
    const { inquiry } = twilio.create(settings)
    const wasSent = await inquiry!.wasSent(message, SINCE, new AbortController().signal)
    await settings.http.close()
    await receiver.stop()
    return { wasSent, request: receiver.requests[0]! }
  }
  const answerOf = async (body: object) => (await ask({ body: JSON.stringify(body) })).wasSent

  it('Twilio lists those to the number', async () => {
    const { request } = await ask({ body: JSON.stringify(list()) })
    expect(request).toMatchObject({
      method: 'GET',
      path: `/2010-04-01/Accounts/${SID}/Messages.json?To=%2B41790000000&PageSize=1000`,
      headers: { authorization: `Basic ${btoa(`${SID}:${TOKEN}`)}` },
    })
  })

  it('it has none if none was created since', async () => {
    expect(await answerOf(list())).toBe(false)
    expect(await answerOf(list(created('Sun, 01 Mar 2026 11:57:59 +0000')))).toBe(false)
  })

  it.each([
    ['one was created since, which may be another', list(created('Sun, 01 Mar 2026 12:00:01 +0000'))],
    ['one was created just before, by another clock', list(created('Sun, 01 Mar 2026 11:58:30 +0000'))],
    ['the list has further pages', { ...list(), next_page_uri: '/2010-04-01/…&Page=1' }],
    ['a date cannot be read', list(created('yesterday'))],
    ['the answer is no list', {}],
  ])('nobody knows if %s', async (_title, body) => {
    expect(await answerOf(body)).toBeUndefined()
  })

  it('nobody knows if Twilio fails', async () => {
    expect((await ask({ status: 503, body: JSON.stringify(list()) })).wasSent).toBeUndefined()
    expect((await ask({ body: '{"messages": [' })).wasSent).toBeUndefined()
  })
})
