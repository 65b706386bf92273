import { describe, expect, it, onTestFinished } from 'vitest'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { chatText } from './chat-text.ts'
import { telegram } from './telegram.ts'

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'

function refusal(error_code: number, description: string, parameters?: object) {
  return { status: error_code, body: JSON.stringify({ ok: false, error_code, description, parameters }) }
}

describeHttpKind({
  kind: telegram,
  config: base_url => ({ base_url }),
  secrets: () => ({ bot_token: TOKEN }),
  message: { channel: 'chat', address: '987654321' },
  request: {
    method: 'POST',
    path: `/bot${TOKEN}/sendMessage`,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'rec-2.route-3' },
    body: {
      chat_id: '987654321',
      text: 'Rechnung bezahlt – danke\nGrüezi Ada, Rechnung 7 ist bezahlt.',
    },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: {
      status: 200,
      body: '{"ok":true,"result":{"message_id":4711,"date":1,"chat":{"id":987654321}}}',
    },
    fails_for_now: refusal(502, 'Bad Gateway'),
    throttles: refusal(429, 'Too Many Requests: retry after 34', { retry_after: 34 }),
    refuses: refusal(400, 'Bad Request: message text is empty'),
    rejects_credentials: refusal(401, 'Unauthorized'),
  },
  throttle_ms: 34_000,
  sent: { provider_message_id: '4711' },
  rules: [
    [
      'blocked by the user',
      refusal(403, 'Forbidden: bot was blocked by the user'),
      { kind: 'permanent', suppress: 'unsubscribed' },
    ],
    [
      'the user is gone',
      refusal(403, 'Forbidden: user is deactivated'),
      { kind: 'permanent', suppress: 'invalid' },
    ],
    [
      'kicked from the group',
      refusal(403, 'Forbidden: bot was kicked from the group chat'),
      { kind: 'permanent', suppress: 'invalid' },
    ],
    [
      'the user has not started the bot',
      refusal(403, "Forbidden: bot can't initiate conversation with a user"),
      { kind: 'permanent', fault: 'recipient' },
    ],
    ['no such chat', refusal(400, 'Bad Request: chat not found'), { kind: 'permanent', suppress: 'invalid' }],
    [
      'the group has a new id',
      refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100 }),
      { kind: 'permanent', suppress: 'invalid' },
    ],
    ['a token of an unknown bot', refusal(404, 'Not Found'), { kind: 'config' }],
  ],
})

it('a group that has become a supergroup gets the message at its new id', async () => {
  const receiver = await startHttpReceiver()
  onTestFinished(receiver.stop)
  const text = 'Bad Request: group chat was upgraded to a supergroup chat'
  receiver.answerWith(({ body }) =>
    JSON.parse(body.toString()).chat_id === '-1001'
      ? { body: '{"ok":true,"result":{"message_id":5}}' }
      : refusal(400, text, { migrate_to_chat_id: -1001 }),
  )
  const settings = someSettings({
    config: { base_url: new URL(receiver.url).origin },
    secrets: { bot_token: '123456:ABC' },
  })
  onTestFinished(settings.http.close)
  const message = aMessage({ channel: 'chat', address: '-7' })
  const outcome = await telegram.create(settings).send(message, new AbortController().signal)
  expect(outcome).toMatchObject({ kind: 'sent', provider_message_id: '5' })
  expect(receiver.requests).toHaveLength(2)
})

describe('the text of a chat message', () => {
  it('is subject and text, cut between characters with …', () => {
    const text = chatText(aMessage({ subject: 'Party', text: '🎉'.repeat(3000) }), 4096)
    expect(text).toHaveLength(4095)
    expect(text).toMatch(/^Party\n(🎉)+…$/u)
  })

  it.each([
    [{ subject: '', text: 'only text' }, 'only text'],
    [{ subject: 'only subject', text: '' }, 'only subject'],
  ])('of %o has no empty line', (message, expected) => {
    expect(chatText(aMessage(message), 100)).toBe(expected)
  })
})
