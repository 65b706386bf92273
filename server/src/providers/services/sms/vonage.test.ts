import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { smsText } from './sms-text.ts'
import { vonage } from './vonage.ts'

/** A refusal in the form of Vonage's documentation. */
function refusal(status: number, code: number) {
  const body = {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: 'Refused',
    detail: 'The request was refused',
    instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
  }
  return { status, body: JSON.stringify(body) }
}

describeHttpKind({
  kind: vonage,
  config: base_url => ({ api_key: 'abcd1234', from: '+447700900001', base_url }),
  secrets: () => ({ api_secret: 'sEcReT-0123' }),
  message: { channel: 'sms', address: '+41790000000' },
  request: {
    method: 'POST',
    path: '/v1/messages',
    headers: {
      authorization: `Basic ${btoa('abcd1234:sEcReT-0123')}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: {
      channel: 'sms',
      message_type: 'text',
      to: '41790000000',
      from: '447700900001',
      text: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      client_ref: 'rec-2.route-3',
    },
  },
  messageIdIn: ({ body }) => JSON.parse(body.toString()).client_ref,
  answers: {
    accepts: { status: 202, body: '{"message_uuid":"aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab"}' },
    fails_for_now: refusal(500, 1030),
    throttles: refusal(429, 1000),
    refuses: refusal(422, 1020),
    rejects_credentials: {
      status: 401,
      body: '{"type":"https://developer.vonage.com/api-errors#unauthorized","title":"Unauthorized"}',
    },
  },
  sent: { provider_message_id: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab' },
  rules: [
    ['1000: throttled, whatever the status', refusal(422, 1000), { kind: 'rate_limited' }],
    ['1100: communication failed', refusal(422, 1100), { kind: 'retry' }],
    ['1240: opted out', refusal(422, 1240), { kind: 'permanent', suppress: 'unsubscribed' }],
    ['1050: number barred', refusal(422, 1050), { kind: 'permanent', suppress: 'invalid' }],
    ['1170: invalid number', refusal(422, 1170), { kind: 'permanent', suppress: 'invalid' }],
    ['1190: number no longer in use', refusal(422, 1190), { kind: 'permanent', suppress: 'invalid' }],
    ['1070: no credit', refusal(402, 1070), { kind: 'config' }],
    ['1120: sender refused', refusal(422, 1120), { kind: 'config' }],
    ['low balance', { status: 402, body: '{"title":"Low balance"}' }, { kind: 'config' }],
    ['an error from the older host name', legacyRefusal(1170), { kind: 'permanent', suppress: 'invalid' }],
  ],
})

function legacyRefusal(code: number) {
  const type = `https://developer.nexmo.com/api-errors/messages-olympus#${code}`
  return { status: 422, body: JSON.stringify({ type }) }
}

describe('for reports', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const application_id = 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789cd'

  async function sent(secrets: object, config: object = {}) {
    const receiver = await startHttpReceiver()
    const settings = someSettings({
      config: vonage.config.parse({ api_key: 'abcd1234', from: 'Acme', base_url: receiver.url, ...config }),
      secrets: vonage.secrets.parse({ api_secret: 's', ...secrets }),
      callbackUrl: 'https://bells.example/v1/callbacks/p-1',
    })
    await vonage.create(settings).send(aMessage({ channel: 'sms' }), new AbortController().signal)
    await settings.http.close()
    await receiver.stop()
    const { body, headers } = receiver.requests[0]!
    return { body: JSON.parse(body.toString()), authorization: String(headers.authorization) }
  }

  it('a message names our URL, if they can be verified', async () => {
    expect((await sent({ signature_secret: 'x' })).body).toMatchObject({
      webhook_url: 'https://bells.example/v1/callbacks/p-1',
      webhook_version: 'v1',
    })
    expect((await sent({})).body).not.toHaveProperty('webhook_url')
  })

  it('the application signs a token', async () => {
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { authorization } = await sent({ private_key }, { application_id })
    const [header, claims, signature] = authorization.replace('Bearer ', '').split('.') as [
      string,
      string,
      string,
    ]
    expect(
      verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')),
    ).toBe(true)
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT' })
    expect(decoded(claims)).toEqual({
      application_id,
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
  })
})

describe('the text of an SMS', () => {
  it('is cut with characters that do not need another encoding', () => {
    expect(smsText(aMessage({ text: 'x'.repeat(2000) }), 1000)).toBe(`${'x'.repeat(997)}...`)
  })
})
