import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpReceiver, startHttpReceiver } from '../../../test/receivers/http-receiver.ts'
import type { Message } from '../../content/messages/message.ts'
import { http } from './http.ts'
import { describeHttpKind } from './http-kind.suite.ts'
import { aMessage } from './message.fixture.ts'
import type { Outcome } from './provider.ts'
import { someSettings } from './settings.fixture.ts'

describeHttpKind({
  kind: http,
  config: base => ({
    url: `${base}/send/{{ address | url_encode }}?type={{ notification_type }}`,
    method: 'PUT',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Locale': '{{ locale }}' },
    body: '{"to": {{ address | json }}, "text": {{ text | json }}, "paid": {{ payload.invoice }}}',
  }),
  secrets: () => ({ headers: { Authorization: 'Bearer tok-9876543210' } }),
  message: { channel: 'sms', address: '+41 79/1', text: 'Say "hi"\n& bye' },
  request: {
    method: 'PUT',
    path: '/send/%2B41+79%2F1?type=invoice.paid',
    headers: {
      authorization: 'Bearer tok-9876543210',
      'content-type': 'application/json; charset=utf-8',
      'x-locale': 'de-CH',
      'idempotency-key': 'rec-2.route-3',
    },
    body: { to: '+41 79/1', text: 'Say "hi"\n& bye', paid: 7 },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: { status: 202, body: '{"id":"prov-1"}' },
    fails_for_now: { status: 500 },
    throttles: { status: 429, headers: { 'retry-after': '7' } },
    refuses: { status: 422, body: 'unknown number' },
    rejects_credentials: { status: 401 },
  },
  throttle_ms: 7000,
  sent: { provider_message_id: 'prov-1' },
  rules: [['a 404', { status: 404 }, { kind: 'permanent' }]],
})

let receiver: HttpReceiver
beforeEach(async () => {
  receiver = await startHttpReceiver()
})
afterEach(() => receiver.stop())

describe('the templates of the kind', () => {
  async function send(
    config: object,
    message: Partial<Message> = {},
    secrets: object = {},
  ): Promise<Outcome> {
    const settings = someSettings({
      config: http.config.parse({ url: receiver.url, ...config }),
      secrets: http.secrets.parse(secrets),
    })
    const outcome = await http.create(settings).send(aMessage(message), new AbortController().signal)
    await settings.http.close()
    return outcome
  }

  it('may be omitted: the body is then the whole message', async () => {
    await send({})
    expect(receiver.requests[0]).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'rec-2.route-3' },
    })
    expect(JSON.parse(String(receiver.requests[0]?.body))).toHaveProperty('template', 'invoice.paid')
  })

  it('can use the settings too', async () => {
    await send({ body: '{{ config.method }}' })
    expect(String(receiver.requests[0]?.body)).toBe('POST')
  })

  it('are sent by GET without a body', async () => {
    await send({ method: 'GET', url: `${receiver.url}?to={{ address | url_encode }}` }, { address: '+41' })
    expect(receiver.requests[0]).toMatchObject({ method: 'GET', path: '/messages?to=%2B41' })
    expect(receiver.requests[0]?.body).toHaveLength(0)
    expect(receiver.requests[0]?.headers).not.toHaveProperty('content-type')
  })

  it('can use `if` and `default` for values that may be missing', async () => {
    await send({ body: '{% if payload.vip %}VIP {% endif %}{{ payload.name | default: "you" }}' })
    expect(String(receiver.requests[0]?.body)).toBe('you')
  })

  it('cannot replace the idempotency key', async () => {
    await send({ headers: { 'Idempotency-Key': 'mine' } }, {}, { headers: { 'IDEMPOTENCY-KEY': 'mine' } })
    expect(receiver.requests[0]?.headers['idempotency-key']).toBe('rec-2.route-3')
  })

  it.each<[string, object]>([
    ['an unknown variable', { body: '{{ adress }}' }],
    ['an unknown field', { body: '{{ payload.invioce }}' }],
    ['an inherited property', { body: '{{ payload.constructor }}' }],
    ['a file', { body: '{% render "/etc/hostname" %}' }],
    ['endless work', { body: '{% for i in (1..1000000000) %}{{ i }}{% endfor %}' }],
    ['a result that is not a URL', { url: '{{ address }}' }],
  ])('with %s fail loudly and send nothing', async (_title, config) => {
    expect(await send(config)).toMatchObject({ kind: 'config' })
    expect(receiver.requests).toEqual([])
  })

  it('that turn this message’s text into a header of two lines send nothing', async () => {
    const outcome = await send({ headers: { 'x-text': '{{ text }}\r\nx-more: 1' } })
    expect(outcome).toMatchObject({ kind: 'permanent' })
    expect(receiver.requests).toEqual([])
  })

  it.each<[string, object]>([
    ['an unclosed tag', { url: 'https://x.example/{{ address' }],
    ['an unknown tag', { url: 'https://x.example', body: '{% oops %}' }],
    ['an include', { url: 'https://x.example', body: '{% include "/etc/hostname" %}' }],
    ['a header name with a space', { url: 'https://x.example', headers: { 'a b': 'c' } }],
    ['another setting', { url: 'https://x.example', verb: 'POST' }],
  ])('with %s are refused when they are saved', (_title, config) => {
    expect(http.config.safeParse(config).success).toBe(false)
  })
})
