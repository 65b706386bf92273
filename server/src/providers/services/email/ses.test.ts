import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ReceivedRequest, startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import type { Message } from '../../../content/messages/message.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { ses } from './ses.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const SECRETS = {
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const SIGNED_NOW =
  /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260301\/eu-central-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=[0-9a-f]{64}$/

const exception = (status: number, type: string, message: string) => ({
  status,
  headers: { 'x-amzn-errortype': type, 'x-amzn-requestid': 'r-1' },
  body: JSON.stringify({ message }),
})

describeHttpKind({
  kind: ses,
  config: base_url => ({
    from: 'Acme <bells@acme.example>',
    reply_to: 'help@acme.example',
    region: 'eu-central-1',
    configuration_set: 'events',
    base_url,
  }),
  secrets: () => SECRETS,
  settings: { now: () => NOW },
  message: {},
  request: {
    method: 'POST',
    path: '/v2/email/outbound-emails',
    headers: {
      'content-type': 'application/json',
      'x-amz-date': '20260301T120000Z',
      authorization: expect.stringMatching(SIGNED_NOW) as string,
    },
    body: {
      FromEmailAddress: 'Acme <bells@acme.example>',
      Destination: { ToAddresses: ['ada@example.org'] },
      ReplyToAddresses: ['help@acme.example'],
      Content: {
        Simple: {
          Subject: { Data: 'Rechnung bezahlt – danke', Charset: 'UTF-8' },
          Body: {
            Text: { Data: 'Grüezi Ada, Rechnung 7 ist bezahlt.', Charset: 'UTF-8' },
            Html: { Data: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>', Charset: 'UTF-8' },
          },
          Headers: [
            { Name: 'X-Carillon-Type', Value: 'invoice.paid' },
            { Name: 'X-Carillon-Notification', Value: '0197f2a0-0000-7000-8000-000000000002' },
            { Name: 'Auto-Submitted', Value: 'auto-generated' },
            { Name: 'X-Request-Id', Value: 'req-1' },
          ],
        },
      },
      EmailTags: [
        { Name: 'message_id', Value: 'rec-2_route-3' },
        { Name: 'notification_id', Value: '0197f2a0-0000-7000-8000-000000000002' },
      ],
      ConfigurationSetName: 'events',
    },
  },
  messageIdIn: ({ body }) => JSON.parse(String(body)).EmailTags[0].Value.replace('_', '.'),
  answers: {
    accepts: {
      status: 200,
      body: '{"MessageId":"010701a2b3c4d5e6-11111111-2222-3333-4444-555555555555-000000"}',
    },
    fails_for_now: exception(500, 'InternalFailure', 'The request processing has failed.'),
    throttles: exception(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
    refuses: exception(400, 'MessageRejected', 'Email contains a virus.'),
    rejects_credentials: exception(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    ),
  },
  sent: { provider_message_id: '010701a2b3c4d5e6-11111111-2222-3333-4444-555555555555-000000' },
  rules: [
    [
      'an exceeded rate',
      exception(429, 'TooManyRequestsException', 'Maximum sending rate exceeded.'),
      { kind: 'rate_limited' },
    ],
    [
      'an exceeded quota',
      exception(400, 'LimitExceededException', 'Daily message quota exceeded.'),
      { kind: 'rate_limited' },
    ],
    [
      'throttling named in the body',
      {
        status: 400,
        body: '{"__type":"com.amazon.coral.availability#ThrottlingException","message":"Rate exceeded"}',
      },
      { kind: 'rate_limited' },
    ],
    [
      'throttling named with an address behind it',
      exception(
        400,
        'ThrottlingException:http://internal.amazon.com/coral/com.amazon.coral.availability/',
        'Rate exceeded',
      ),
      { kind: 'rate_limited' },
    ],
    [
      'a sender that is not verified',
      exception(
        400,
        'MessageRejected',
        'Email address is not verified. The following identities failed the check in region EU-CENTRAL-1: bells@acme.example',
      ),
      { kind: 'config' },
    ],
    [
      'a domain that is not verified',
      exception(400, 'MailFromDomainNotVerifiedException', 'x'),
      { kind: 'config' },
    ],
    ['a suspended account', exception(400, 'AccountSuspendedException', 'x'), { kind: 'config' }],
    ['a paused account', exception(400, 'SendingPausedException', 'x'), { kind: 'config' }],
    ['an unknown configuration set', exception(404, 'NotFoundException', 'x'), { kind: 'config' }],
    ['an invalid request', exception(400, 'BadRequestException', 'x'), { kind: 'permanent' }],
  ],
})

async function requestFor(
  config = {},
  secrets = {},
  message: Partial<Message> = {},
): Promise<ReceivedRequest> {
  const receiver = await startHttpReceiver()
  const base_url = new URL(receiver.url).origin
  const settings = someSettings({
    config: ses.config.parse({ from: 'bells@acme.example', region: 'eu-central-1', base_url, ...config }),
    secrets: ses.secrets.parse({ ...SECRETS, ...secrets }),
    now: () => NOW,
  })
  await ses.create(settings).send(aMessage(message), new AbortController().signal)
  await settings.http.close()
  await receiver.stop()
  return receiver.requests[0]!
}

describe('the signature', () => {
  /** Signature Version 4, written from its documentation and not taken from the library. */
  function signatureOf({ method, path, headers, body }: ReceivedRequest, signedHeaders: string): string {
    const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
    const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
    const canonicalHeaders = signedHeaders.split(';').map(name => `${name}:${headers[name]}\n`)
    const canonical = [method, path, '', canonicalHeaders.join(''), signedHeaders, sha256(body)].join('\n')
    const scope = '20260301/eu-central-1/ses/aws4_request'
    const toSign = ['AWS4-HMAC-SHA256', '20260301T120000Z', scope, sha256(canonical)].join('\n')
    const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRETS.secret_access_key}`)
    return hmac(key, toSign).toString('hex')
  }

  it.each([
    ['content-type;host;x-amz-date', {}],
    ['content-type;host;x-amz-date;x-amz-security-token', { session_token: 'a-session' }],
  ])('covers %s and the body', async (signedHeaders, secrets) => {
    const request = await requestFor({}, secrets)
    expect(request.headers.authorization).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260301/eu-central-1/ses/aws4_request, SignedHeaders=${signedHeaders}, Signature=${signatureOf(request, signedHeaders)}`,
    )
  })
})

describe('the request', () => {
  it('omits what the message does not have', async () => {
    const body = JSON.parse(String((await requestFor({}, {}, { html: null })).body))
    expect(body.Content.Simple.Body).not.toHaveProperty('Html')
    expect(body).not.toHaveProperty('ReplyToAddresses')
    expect(body).not.toHaveProperty('ConfigurationSetName')
  })

  it('writes non-ASCII names as encoded words', async () => {
    const body = JSON.parse(String((await requestFor({ from: 'Grüezi <bells@acme.example>' })).body))
    expect(body.FromEmailAddress).toBe(
      `=?UTF-8?B?${Buffer.from('Grüezi').toString('base64')}?= <bells@acme.example>`,
    )
  })

  it.each(['evil.example/', 'eu-central-1.evil.example', 'eu-central-1/', ''])(
    'cannot be led elsewhere by the region "%s"',
    region => {
      expect(ses.config.safeParse({ from: 'a@b.example', region }).success).toBe(false)
    },
  )
})
