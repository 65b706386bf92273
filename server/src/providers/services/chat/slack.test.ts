import { describe, expect, it } from 'vitest'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import type { Message } from '../../../content/messages/message.ts'
import { describeHttpKind } from '../http-kind.suite.ts'
import { aMessage } from '../message.fixture.ts'
import type { Outcome } from '../provider.ts'
import { someSettings } from '../settings.fixture.ts'
import { slack } from './slack.ts'

/** The Web API answers 200 and says in the body whether it worked. */
function refusal(error: string) {
  return { status: 200, body: JSON.stringify({ ok: false, error }) }
}

describeHttpKind({
  kind: slack,
  config: base => ({ base_url: `${base}/api` }),
  secrets: () => ({ bot_token: 'xoxb-0123456789-secret' }),
  message: { channel: 'chat', address: 'C0123456789', subject: 'Paid & done', text: 'Hi <!channel>' },
  request: {
    method: 'POST',
    path: '/api/chat.postMessage',
    headers: {
      authorization: 'Bearer xoxb-0123456789-secret',
      'content-type': 'application/json; charset=utf-8',
      'idempotency-key': 'rec-2.route-3',
    },
    body: {
      channel: 'C0123456789',
      text: 'Paid &amp; done\nHi &lt;!channel&gt;',
      metadata: { event_type: 'carillon_message', event_payload: { message_id: 'rec-2.route-3' } },
    },
  },
  messageIdIn: ({ body }) => JSON.parse(body.toString()).metadata.event_payload.message_id,
  answers: {
    accepts: {
      status: 200,
      body: '{"ok":true,"channel":"C0123456789","ts":"1503435956.000247","message":{"text":"hi"}}',
    },
    fails_for_now: { status: 503 },
    throttles: { ...refusal('ratelimited'), status: 429, headers: { 'retry-after': '30' } },
    refuses: refusal('msg_too_long'),
    rejects_credentials: refusal('invalid_auth'),
  },
  throttle_ms: 30_000,
  sent: { provider_message_id: '1503435956.000247' },
  rules: [
    ['rate_limited in a 200', refusal('rate_limited'), { kind: 'rate_limited' }],
    ['internal_error', refusal('internal_error'), { kind: 'retry' }],
    ['fatal_error', refusal('fatal_error'), { kind: 'retry' }],
    ['token_revoked', refusal('token_revoked'), { kind: 'config' }],
    ['missing_scope', refusal('missing_scope'), { kind: 'config' }],
    ['not_in_channel', refusal('not_in_channel'), { kind: 'config', fault: 'recipient' }],
    [
      'a read-only channel',
      refusal('restricted_action_read_only_channel'),
      { kind: 'config', fault: 'recipient' },
    ],
    ['channel_not_found', refusal('channel_not_found'), { kind: 'permanent', fault: 'recipient' }],
    ['is_archived', refusal('is_archived'), { kind: 'permanent', fault: 'recipient' }],
    ['an unknown error', refusal('never_heard_of'), { kind: 'permanent' }],
    [
      'a text that looks like a refusal',
      {
        status: 200,
        body: JSON.stringify({ ok: true, message: { text: '"ok":false,"error":"fatal_error"' } }),
      },
      { kind: 'sent' },
    ],
  ],
})

describe('an incoming webhook', () => {
  const PATH = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX'

  async function post(
    answer: { status?: number; body?: string },
    message: (url: string) => Partial<Message> = url => ({ address: url }),
    secrets: (url: string) => object = () => ({ bot_token: 'xoxb-0123456789-secret' }),
  ) {
    const receiver = await startHttpReceiver()
    receiver.answerWith(() => answer)
    const url = new URL(PATH, receiver.url).href
    const settings = someSettings({ config: {}, secrets: slack.secrets.parse(secrets(url)) })
    const outcome = await slack.create(settings).send(aMessage(message(url)), new AbortController().signal)
    await settings.http.close()
    await receiver.stop()
    return { outcome, request: receiver.requests[0] }
  }

  it('takes the text alone, and never the token', async () => {
    const { outcome, request } = await post({ status: 200, body: 'ok' })
    expect(outcome).toMatchObject({ kind: 'sent' })
    expect(request).toMatchObject({ method: 'POST', path: PATH })
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(JSON.parse(String(request?.body))).toEqual({
      text: 'Rechnung bezahlt – danke\nGrüezi Ada, Rechnung 7 ist bezahlt.',
    })
  })

  it('may be stored among the secrets and named by the address', async () => {
    const secrets = (url: string) => ({ webhooks: { ops: url } })
    const { request } = await post({ body: 'ok' }, () => ({ address: 'ops' }), secrets)
    expect(request).toMatchObject({ path: PATH })
  })

  it.each<[number, string, Partial<Outcome>]>([
    [400, 'invalid_payload', { kind: 'permanent' }],
    [403, 'action_prohibited', { kind: 'permanent', fault: 'recipient' }],
    [404, 'no_service', { kind: 'permanent', suppress: 'invalid' }],
    [404, 'channel_not_found', { kind: 'permanent', suppress: 'invalid' }],
    [410, 'channel_is_archived', { kind: 'permanent', suppress: 'invalid' }],
    [500, 'rollup_error', { kind: 'retry' }],
  ])('%i %s', async (status, body, expected) => {
    expect((await post({ status, body })).outcome).toMatchObject(expected)
  })

  it('is removed from a stored answer that echoes it', { tags: 'S002-21' }, async () => {
    const { outcome } = await post({ status: 400, body: `no such hook: ${PATH} XXXXXXXXXXXXXXXXXXXXXXXX` })
    expect(JSON.stringify(outcome)).not.toContain('XXXXXXXX')
  })

  it('or a bot token is required', async () => {
    const { outcome, request } = await post(
      {},
      () => ({ address: 'C0123' }),
      () => ({}),
    )
    expect(outcome).toMatchObject({ kind: 'config', message: expect.stringContaining('bot_token') })
    expect(request).toBeUndefined()
  })

  it('gets no longer text than Slack accepts', async () => {
    const { request } = await post({}, address => ({ address, text: '&'.repeat(50_000) }))
    const { text } = JSON.parse(String(request?.body))
    expect(text.length).toBeLessThanOrEqual(40_000)
    expect(text).toMatch(/&amp;…$/)
  })
})
