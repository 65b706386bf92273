import { expect, it } from 'vitest'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { sendgrid } from './sendgrid.ts'

const failure = (message: string, field: string | null) =>
  JSON.stringify({ errors: [{ message, field, help: null }] })

describeHttpKind({
  kind: sendgrid,
  config: base_url => ({ from: 'Acme <bells@acme.example>', reply_to: 'help@acme.example', base_url }),
  secrets: () => ({ api_key: 'SG.key-1234' }),
  message: {},
  request: {
    method: 'POST',
    path: '/v3/mail/send',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: 'Bearer SG.key-1234',
    },
    body: {
      personalizations: [{ to: [{ email: 'ada@example.org' }] }],
      from: { email: 'bells@acme.example', name: 'Acme' },
      reply_to: { email: 'help@acme.example' },
      subject: 'Rechnung bezahlt – danke',
      content: [
        { type: 'text/plain', value: 'Grüezi Ada, Rechnung 7 ist bezahlt.' },
        { type: 'text/html', value: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>' },
      ],
      headers: {
        'X-Carillon-Type': 'invoice.paid',
        'X-Carillon-Notification': '0197f2a0-0000-7000-8000-000000000002',
        'Auto-Submitted': 'auto-generated',
        'X-Request-Id': 'req-1',
        'Message-ID': '<rec-2.route-3@acme.example>',
      },
      custom_args: { message_id: 'rec-2.route-3', notification_id: '0197f2a0-0000-7000-8000-000000000002' },
    },
  },
  messageIdIn: ({ body }) => JSON.parse(String(body)).custom_args.message_id,
  answers: {
    accepts: { status: 202, headers: { 'x-message-id': '14c5d75ce93.dfd.64b469' } },
    fails_for_now: { status: 500, body: failure('internal server error', null) },
    throttles: {
      status: 429,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1392815263' },
      body: failure('too many requests', null),
    },
    refuses: {
      status: 400,
      body: failure(
        'The content value must be a string at least one character in length.',
        'content.0.value',
      ),
    },
    rejects_credentials: {
      status: 401,
      body: failure('The provided authorization grant is invalid, expired, or revoked', null),
    },
  },
  sent: { provider_message_id: '14c5d75ce93.dfd.64b469' },
  rules: [
    ['throttling', { status: 429, body: failure('too many requests', null) }, { kind: 'rate_limited' }],
    [
      'an invalid address',
      { status: 400, body: failure('Does not contain a valid address.', 'personalizations.0.to.0.email') },
      { kind: 'permanent', suppress: 'invalid' },
    ],
    [
      'an invalid sender',
      { status: 400, body: failure('The from email does not contain a valid address.', 'from.email') },
      { kind: 'config' },
    ],
    [
      'a sender that is not verified',
      { status: 403, body: failure('The from address does not match a verified Sender Identity.', 'from') },
      { kind: 'config' },
    ],
    [
      'credits that are used up',
      { status: 401, body: failure('Maximum credits exceeded', null) },
      { kind: 'config' },
    ],
    [
      'a pause after too many bad requests',
      {
        status: 403,
        body: failure('You are temporarily blocked from sending emails due to repeated bad requests.', null),
      },
      { kind: 'rate_limited' },
    ],
    ['a message that is too large', { status: 413 }, { kind: 'permanent' }],
    ['a path that does not exist', { status: 404 }, { kind: 'config' }],
  ],
})

it('omits what the message does not have', async () => {
  const receiver = await startHttpReceiver()
  const settings = someSettings({
    config: sendgrid.config.parse({ from: 'bells@acme.example', base_url: new URL(receiver.url).origin }),
    secrets: { api_key: 'k' },
  })
  await sendgrid.create(settings).send(aMessage({ html: null, request_id: '' }), new AbortController().signal)
  const body = JSON.parse(String(receiver.requests[0]?.body))
  await settings.http.close()
  await receiver.stop()
  expect(body).not.toHaveProperty('reply_to')
  expect(body.from).toEqual({ email: 'bells@acme.example' })
  expect(body.content).toEqual([{ type: 'text/plain', value: 'Grüezi Ada, Rechnung 7 ist bezahlt.' }])
  expect(body.headers).not.toHaveProperty('X-Request-Id')
})
