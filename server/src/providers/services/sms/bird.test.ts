import { describe, expect, it } from 'vitest'
import type { HttpClient } from '../../../platform/outgoing/http-client.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { bird } from './bird.ts'
import { smsTextInParts } from './sms-text.ts'

/** A refusal in the form of Bird's documentation. */
function refusal(status: number, type: string, more: object = {}) {
  const error = { type, code: 'E01001', message: 'Refused', request_id: 'req_01', ...more }
  return { status, body: JSON.stringify({ error }) }
}

describeHttpKind({
  kind: bird,
  config: base_url => ({ from: 'Acme', base_url }),
  secrets: () => ({ api_key: 'bk_eu1_0123456789abcdef' }),
  message: { channel: 'sms', address: '+41790000000' },
  request: {
    method: 'POST',
    path: '/v1/sms/messages',
    headers: {
      authorization: 'Bearer bk_eu1_0123456789abcdef',
      'content-type': 'application/json',
      'idempotency-key': 'rec-2.route-3',
    },
    body: {
      to: '+41790000000',
      from: 'Acme',
      text: 'Grüezi Ada, Rechnung 7 ist bezahlt.',
      category: 'transactional',
      metadata: { message_id: 'rec-2.route-3' },
    },
  },
  messageIdIn: ({ headers }) => String(headers['idempotency-key']),
  answers: {
    accepts: { status: 202, body: '{"id":"sms_01ky7qmwgp","status":"accepted"}' },
    fails_for_now: refusal(503, 'service_unavailable_error'),
    throttles: { ...refusal(429, 'rate_limit_error'), headers: { 'retry-after': '2' } },
    refuses: refusal(422, 'validation_error', { details: [{ param: 'text', message: 'is empty' }] }),
    rejects_credentials: refusal(401, 'auth_error'),
  },
  throttle_ms: 2000,
  sent: { provider_message_id: 'sms_01ky7qmwgp' },
  rules: [
    ['no balance', refusal(402, 'billing_error'), { kind: 'config' }],
    ['wrong region', refusal(421, 'misdirected_error'), { kind: 'config' }],
    ['the same key is in progress', refusal(409, 'conflict_error'), { kind: 'retry', fault: 'message' }],
    [
      'no sender for the country',
      refusal(422, 'validation_error', { name: 'SMSNoEligibleSender' }),
      { kind: 'config' },
    ],
    [
      'invalid number',
      refusal(422, 'validation_error', { details: [{ param: 'to', message: 'no number' }] }),
      { kind: 'permanent', suppress: 'invalid' },
    ],
  ],
})

describe('a long text is cut to twelve parts', () => {
  it.each([
    ['of GSM-7', 'x'.repeat(2000), 12 * 153],
    ['of GSM-7 with characters that take two places', `${'x'.repeat(1900)}${'€'.repeat(10)}`, 12 * 153 - 10],
    ['of other characters', '鐘'.repeat(2000), 12 * 67],
  ])('%s', (_what, text, length) => {
    const cut = smsTextInParts(aMessage({ text }), 12)
    expect(cut).toHaveLength(length)
    expect(cut).toMatch(/\.\.\.$/)
  })

  it('and left alone if it fits', () => {
    const text = 'x'.repeat(12 * 153)
    expect(smsTextInParts(aMessage({ text }), 12)).toBe(text)
  })
})

describe('the region', () => {
  async function urlWith(api_key: string): Promise<string> {
    let called = 'nothing'
    const http: HttpClient = {
      async send({ url }) {
        called = String(url)
        return { status: 202, headers: {}, body: '' }
      },
      close: async () => {},
    }
    const settings = someSettings({ config: bird.config.parse({ from: 'Acme' }), secrets: { api_key }, http })
    const outcome = await bird.create(settings).send(aMessage(), new AbortController().signal)
    return outcome.kind === 'sent' ? called : outcome.kind
  }

  it('is that of the key', async () => {
    expect(await urlWith('bk_eu1_0123')).toBe('https://eu1.platform.bird.com/v1/sms/messages')
  })

  it('is a configuration error when the key has none', async () => {
    expect(await urlWith('an old access key')).toBe('config')
  })
})
