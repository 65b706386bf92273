import { expect, it } from 'vitest'
import type { Message } from '../../../content/messages/message.ts'
import type { HttpRequest } from '../../../platform/outgoing/http-client.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { discord } from './discord.ts'

const PATH =
  '/api/webhooks/223704706495545344/3d89bb7572e0fb30d8128367b3b1b44fecd1726de135cbe28a41f8b2f777c372'

function refusal(status: number, code: number) {
  return { status, body: JSON.stringify({ message: 'Refused', code }) }
}

describeHttpKind({
  kind: discord,
  config: () => ({}),
  secrets: base => ({ webhooks: { ops: base + PATH } }),
  message: { channel: 'chat', address: 'ops' },
  request: {
    method: 'POST',
    path: `${PATH}?wait=true`,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'rec-2.route-3' },
    body: {
      content: 'Rechnung bezahlt – danke\nGrüezi Ada, Rechnung 7 ist bezahlt.',
      allowed_mentions: { parse: [] },
    },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: { status: 200, body: '{"id":"334385199974967042","content":"hi"}' },
    fails_for_now: { status: 502 },
    throttles: {
      status: 429,
      body: '{"message":"You are being rate limited.","retry_after":64.57,"global":false}',
    },
    refuses: refusal(400, 50006),
  },
  throttle_ms: 65_000,
  sent: { provider_message_id: '334385199974967042' },
  rules: [
    ['10015: unknown webhook', refusal(404, 10015), { kind: 'permanent', suppress: 'invalid' }],
    ['50027: wrong webhook token', refusal(401, 50027), { kind: 'permanent', suppress: 'invalid' }],
    ['50013: not allowed in this channel', refusal(403, 50013), { kind: 'permanent', fault: 'recipient' }],
    ['10003: unknown thread', refusal(404, 10003), { kind: 'permanent' }],
    [
      'throttling that says so in the header only',
      { status: 429, headers: { 'retry-after': '65' } },
      { kind: 'rate_limited', retry_after_ms: 65_000 },
    ],
  ],
})

async function requestFor(message: Partial<Message>): Promise<HttpRequest | undefined> {
  let seen: HttpRequest | undefined
  const http = {
    async send(request: HttpRequest) {
      seen = request
      return { status: 200, headers: {}, body: '' }
    },
    close: async () => {},
  }
  const settings = someSettings({ config: {}, secrets: discord.secrets.parse({}), http })
  await discord.create(settings).send(aMessage(message), new AbortController().signal)
  return seen
}

it('posts to the URL in the address and keeps its thread_id', async () => {
  const request = await requestFor({ address: 'https://discord.com/api/webhooks/1/t?thread_id=9' })
  expect(String(request?.url)).toBe('https://discord.com/api/webhooks/1/t?thread_id=9&wait=true')
})

it('cuts at 2000 characters', async () => {
  const request = await requestFor({
    address: 'https://discord.com/api/webhooks/1/t',
    text: 'x'.repeat(2000),
  })
  expect(JSON.parse(String(request?.body)).content).toMatch(/^Rechnung.*x…$/s)
  expect(JSON.parse(String(request?.body)).content).toHaveLength(2000)
})

it.each(['general', 'ftp://discord.com/1', '__proto__', ''])(
  'sends nothing to the address "%s"',
  async address => {
    expect(await requestFor({ address })).toBeUndefined()
  },
)
