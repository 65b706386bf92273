import { describe, expect, it } from 'vitest'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { mailgun } from './mailgun.ts'

const says = (message: string) => JSON.stringify({ message })

describeHttpKind({
  kind: mailgun,
  config: base_url => ({
    from: 'Acme <bells@mg.acme.example>',
    reply_to: 'help@acme.example',
    domain: 'mg.acme.example',
    base_url,
  }),
  secrets: () => ({ api_key: 'key-1234' }),
  message: {},
  request: {
    method: 'POST',
    path: '/v3/mg.acme.example/messages',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa('api:key-1234')}`,
    },
    body: {
      from: 'Acme <bells@mg.acme.example>',
      to: 'ada@example.org',
      subject: 'Rechnung bezahlt – danke',
      text: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      html: '<p>Grüezi Ada, Rechnung 7 ist bezahlt.</p>',
      'h:X-Carillon-Type': 'invoice.paid',
      'h:X-Carillon-Notification': '0197f2a0-0000-7000-8000-000000000002',
      'h:Auto-Submitted': 'auto-generated',
      'h:X-Request-Id': 'req-1',
      'h:Message-Id': '<rec-2.route-3@mg.acme.example>',
      'h:Reply-To': 'help@acme.example',
      'v:message_id': 'rec-2.route-3',
      'v:notification_id': '0197f2a0-0000-7000-8000-000000000002',
    },
  },
  messageIdIn: ({ body }) => new URLSearchParams(String(body)).get('v:message_id') ?? '',
  answers: {
    accepts: {
      status: 200,
      body: JSON.stringify({ id: '<rec-2.route-3@mg.acme.example>', message: 'Queued. Thank you.' }),
    },
    fails_for_now: { status: 500, body: says('Internal Server Error') },
    throttles: { status: 429, headers: { 'retry-after': '5' }, body: says('Too many requests') },
    refuses: {
      status: 400,
      body: says('Need at least one of "text", "html", "amp-html" or "template" parameters specified'),
    },
    rejects_credentials: { status: 401, body: 'Forbidden' },
  },
  throttle_ms: 5000,
  sent: { provider_message_id: '<rec-2.route-3@mg.acme.example>' },
  rules: [
    ['throttling', { status: 429, body: says('Too many requests') }, { kind: 'rate_limited' }],
    [
      'an invalid address',
      { status: 400, body: says("'to' parameter is not a valid address. please check documentation") },
      { kind: 'permanent', suppress: 'invalid' },
    ],
    [
      'the same without quotation marks',
      { status: 400, body: says('to parameter is not a valid address. please check documentation') },
      { kind: 'permanent', suppress: 'invalid' },
    ],
    [
      'an invalid sender',
      { status: 400, body: says("'from' parameter is not a valid address. please check documentation") },
      { kind: 'config' },
    ],
    [
      'an account that may not send',
      { status: 403, body: says('Domain mg.acme.example is not allowed to send') },
      { kind: 'config' },
    ],
    ['an account that has not paid', { status: 402, body: says('Payment required') }, { kind: 'config' }],
    [
      'an unknown domain',
      { status: 404, body: says('Domain not found: mg.acme.example') },
      { kind: 'config' },
    ],
  ],
})

describe('the region', () => {
  async function hostFor(region: string | undefined): Promise<string> {
    let host = ''
    const http = {
      async send({ url }: { url: string | URL }) {
        host = new URL(url).host
        return { status: 200, headers: {}, body: '{}' }
      },
      close: async () => {},
    }
    const config = mailgun.config.parse({ from: 'a@b.example', domain: 'b.example', region })
    const provider = mailgun.create(someSettings({ config, secrets: { api_key: 'k' }, http }))
    await provider.send(aMessage(), new AbortController().signal)
    return host
  }

  it('decides the host', async () => {
    expect(await hostFor(undefined)).toBe('api.mailgun.net')
    expect(await hostFor('us')).toBe('api.mailgun.net')
    expect(await hostFor('eu')).toBe('api.eu.mailgun.net')
  })

  it('and the domain cannot lead to another host', () => {
    for (const domain of ['../v4', 'a/b', 'a?b', '']) {
      expect(mailgun.config.safeParse({ from: 'a@b.example', domain }).success).toBe(false)
    }
  })
})
