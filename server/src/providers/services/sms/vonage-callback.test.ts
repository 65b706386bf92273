import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { NOW, NOW_SECONDS, readCallback, withChangedByte } from '../email/callback.fixture.ts'
import { type Feedback, ForgedCallback } from '../kind.ts'
import { vonage } from './vonage.ts'

const SECRET = 'a-signature-secret-of-some-length-0123456789'
const given = {
  config: { api_key: 'abcd1234', from: '447700900001' },
  secrets: { api_secret: 'sEcReT-0123', signature_secret: SECRET },
}
const status = {
  message_uuid: 'aaaaaaaa-bbbb-4ccc-8ddd-0123456789ab',
  to: '41790000000',
  from: '447700900001',
  timestamp: '2026-03-01T11:59:50.000Z',
  status: 'delivered',
  client_ref: 'rec-2.route-3',
  channel: 'sms',
}
/** As in Vonage's documentation of errors. */
const withError = (code: number) => ({
  ...status,
  status: 'rejected',
  error: {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: code,
    detail: 'Refused',
    instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
  },
})

const base64url = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

interface Signed {
  secret?: string
  header?: object
  claims?: object
  change?: (body: Buffer) => Buffer
}

/** A JSON Web Token made by hand, with the claims that Vonage documents. */
function post(payload: object, signed: Signed = {}): Promise<Feedback[]> {
  const { secret = SECRET, header = {}, claims = {}, change = same => same } = signed
  const body = Buffer.from(JSON.stringify(payload))
  const content = [
    base64url({ alg: 'HS256', typ: 'JWT', ...header }),
    base64url({
      iat: NOW_SECONDS - 5,
      jti: 'c5ba8f24-1a14-4c10-bfdf-3fbe8ce511b5',
      iss: 'Vonage',
      payload_hash: createHash('sha256').update(body).digest('hex'),
      api_key: 'abcd1234',
      ...claims,
    }),
  ].join('.')
  const signature = createHmac('sha256', secret).update(content).digest('base64url')
  return readCallback(vonage, given, {
    headers: { authorization: `Bearer ${content}.${signature}` },
    body: change(body),
  })
}

describe('a status', () => {
  it.each<[string, Feedback['kind']]>([
    ['delivered', 'delivered'],
    ['rejected', 'failed'],
    ['undeliverable', 'failed'],
    ['read', 'opened'],
  ])('%s is %s', async (name, kind) => {
    expect(await post({ ...status, status: name })).toEqual([
      {
        message_id: 'rec-2.route-3',
        event_id: `${status.message_uuid}:${name}`,
        kind,
        detail: name,
        at: new Date(NOW - 10_000),
      },
    ])
  })

  it.each<[number, string | undefined]>([
    [1240, 'unsubscribed'],
    [1050, 'invalid'],
    [1170, 'invalid'],
    [1190, 'invalid'],
    [1070, undefined],
  ])('with error %s suppresses as %s', async (code, reason) => {
    const [feedback] = await post(withError(code))
    expect(feedback?.suppress).toEqual(reason && { address: '+41790000000', reason })
    expect(feedback?.detail).toBe(`rejected, error ${code}: Refused`)
  })

  it.each([
    ['an intermediate state', { ...status, status: 'submitted' }],
    ['a message that is not ours', { ...status, client_ref: undefined }],
    ['another channel', { ...status, channel: 'whatsapp', client_ref: undefined }],
  ])('is ignored for %s', async (_title, payload) => {
    expect(await post(payload)).toEqual([])
  })
})

describe('a reply', () => {
  const reply = (text: string) => ({
    channel: 'sms',
    message_uuid: 'bbbbbbbb-bbbb-4ccc-8ddd-0123456789ab',
    to: '447700900001',
    from: '41790000000',
    timestamp: '2026-03-01T11:59:50Z',
    message_type: 'text',
    text,
    sms: { num_messages: '1', keyword: text.toUpperCase() },
  })

  it('STOP unsubscribes the number', async () => {
    expect(await post(reply('Stop'))).toEqual([
      {
        message_id: '',
        event_id: 'bbbbbbbb-bbbb-4ccc-8ddd-0123456789ab',
        kind: 'unsubscribed',
        suppress: { address: '+41790000000', reason: 'unsubscribed' },
        detail: 'replied Stop',
        at: new Date(NOW - 10_000),
      },
    ])
  })

  it('START subscribes it again; anything else does nothing', async () => {
    expect(await post(reply('start'))).toMatchObject([
      { kind: 'resubscribed', lift: { address: '+41790000000' } },
    ])
    expect(await post(reply('thanks'))).toEqual([])
    expect(await post({ ...reply('STOP'), channel: 'whatsapp' })).toEqual([])
  })
})

describe('a report is refused', () => {
  it.each<[string, Signed]>([
    ['a byte of the body was changed', { change: withChangedByte }],
    ['another secret signed it', { secret: 'another-secret-of-some-length-0123456789' }],
    ['it is of another account', { claims: { api_key: 'other123' } }],
    ['it names no body', { claims: { payload_hash: undefined } }],
    ['it was signed more than a day ago', { claims: { iat: NOW_SECONDS - 86_401 } }],
    ['it says nothing about its time', { claims: { iat: undefined } }],
    ['it claims to need no signature', { header: { alg: 'none' } }],
    ['it names another algorithm', { header: { alg: 'HS512' } }],
  ])('when %s', async (_title, signed) => {
    await expect(post(status, signed)).rejects.toThrow(ForgedCallback)
  })

  it('when it is not signed, or no secret is set', async () => {
    const body = Buffer.from(JSON.stringify(status))
    await expect(readCallback(vonage, given, { body })).rejects.toThrow(ForgedCallback)
    const secrets = { api_secret: 'x' }
    await expect(readCallback(vonage, { ...given, secrets }, { body })).rejects.toThrow(
      'signature_secret is not set',
    )
  })
})
