import { describe, expect, it } from 'vitest'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
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
