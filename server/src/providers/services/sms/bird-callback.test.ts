import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { NOW, NOW_SECONDS, readCallback, withChangedByte } from '../email/callback.fixture.ts'
import { type Feedback, ForgedCallback } from '../kind.ts'
import { bird } from './bird.ts'

const SECRET = `whsec_${Buffer.from('the signing secret of a webhook').toString('base64')}`
const given = {
  config: { from: 'Acme' },
  secrets: { api_key: 'bk_eu1_0123456789abcdef', webhook_secret: SECRET },
}
const sms = {
  sms_id: 'sms_01krdgeqcxet5s7t44vh8rt9mg',
  workspace_id: 'wsp_01krdgeqcxet5s7t44vh8rt9mg',
  to: '+41790000000',
  from: 'Acme',
  tags: null,
  metadata: { message_id: 'rec-2.route-3' },
}
const event = (type: string, data: object = {}) => ({
  type,
  timestamp: '2026-03-01T11:59:50.000Z',
  data: { ...sms, ...data },
})
const failed = (type: string, code: string) =>
  event(type, {
    error: { code, description: 'Absent subscriber', occurred_at: '2026-03-01T11:59:50.000Z' },
  })

interface Signed {
  secret?: string
  seconds?: number
  change?: (body: Buffer) => Buffer
}

/** Signed by the library that Bird's own SDK verifies with. */
function post(body: object, signed: Signed = {}): Promise<Feedback[]> {
  const { secret = SECRET, seconds = NOW_SECONDS, change = same => same } = signed
  const text = JSON.stringify(body)
  return readCallback(bird, given, {
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': new Webhook(secret).sign('evt_1', new Date(seconds * 1000), text),
    },
    body: change(Buffer.from(text)),
  })
}

describe('a report', () => {
  it('says that a message was delivered', async () => {
    expect(await post(event('sms.delivered', { carrier: 'Swisscom' }))).toEqual([
      {
        message_id: 'rec-2.route-3',
        event_id: 'evt_1',
        kind: 'delivered',
        detail: '',
        at: new Date(NOW - 10_000),
      },
    ])
  })

  it.each<[string, string, Feedback['kind'], string | undefined]>([
    ['sms.failed', 'invalid_destination', 'failed', 'invalid'],
    ['sms.failed', 'landline_unreachable', 'failed', 'invalid'],
    ['sms.rejected', 'recipient_opted_out', 'failed', 'unsubscribed'],
    ['sms.rejected', 'insufficient_balance', 'failed', undefined],
    ['sms.undelivered', 'unreachable', 'bounced', undefined],
    ['sms.undelivered', 'blocked_by_recipient', 'bounced', undefined],
    ['sms.expired', 'unreachable', 'bounced', undefined],
  ])('%s with the error %s is %s and suppresses as %s', async (type, code, kind, reason) => {
    const [feedback] = await post(failed(type, code))
    expect(feedback).toMatchObject({
      message_id: 'rec-2.route-3',
      kind,
      detail: `${code}: Absent subscriber`,
    })
    expect(feedback?.suppress).toEqual(reason && { address: '+41790000000', reason })
  })

  it.each([
    ['an intermediate state', event('sms.sent')],
    ['a message that is not ours', event('sms.delivered', { metadata: null })],
    ['a mail', { type: 'email.delivered', timestamp: '2026-03-01T11:59:50Z', data: { email_id: 'em_1' } }],
  ])('is ignored for %s', async (_title, body) => {
    expect(await post(body)).toEqual([])
  })
})

describe('a reply', () => {
  const reply = (text: string) =>
    event('sms.received', { from: '+41790000000', to: '+15557122661', metadata: null, text })

  it('STOP unsubscribes the number', async () => {
    expect(await post(reply(' stop\n'))).toEqual([
      {
        message_id: '',
        event_id: 'evt_1',
        kind: 'unsubscribed',
        suppress: { address: '+41790000000', reason: 'unsubscribed' },
        detail: 'replied stop',
        at: new Date(NOW - 10_000),
      },
    ])
  })

  it('START subscribes it again', async () => {
    expect(await post(reply('START'))).toMatchObject([
      { kind: 'resubscribed', lift: { address: '+41790000000' } },
    ])
  })

  it('with anything else does nothing', async () => {
    expect(await post(reply('please do not stop'))).toEqual([])
  })
})

describe('an opt-out that Bird itself has recorded', () => {
  const optOut = (originator: string, reason: string) => ({
    type: 'sms_suppression.created',
    timestamp: '2026-03-01T11:59:50.000Z',
    data: { suppression_id: 'sup_1', destination: '+41790000000', originator, reason, workspace_id: 'wsp_1' },
  })

  it.each(['keyword_stop', 'carrier_opted_out'])('(%s) suppresses the number', async reason => {
    expect(await post(optOut('Acme', reason))).toMatchObject([
      { message_id: '', kind: 'unsubscribed', suppress: { address: '+41790000000', reason: 'unsubscribed' } },
    ])
  })

  it.each([
    ['another sender', optOut('Other', 'keyword_stop')],
    ['no wish of the person', optOut('Acme', 'manual')],
  ])('is ignored for %s', async (_title, body) => {
    expect(await post(body)).toEqual([])
  })
})

describe('a report is refused', () => {
  const delivered = event('sms.delivered')
  it.each<[string, Signed]>([
    ['a byte was changed', { change: withChangedByte }],
    ['another secret signed it', { secret: `whsec_${Buffer.from('another').toString('base64')}` }],
    ['it was signed too long ago', { seconds: NOW_SECONDS - 301 }],
  ])('when %s', async (_title, signed) => {
    await expect(post(delivered, signed)).rejects.toThrow(ForgedCallback)
  })

  it('when it is not signed, or no secret is set', async () => {
    const body = Buffer.from(JSON.stringify(delivered))
    await expect(readCallback(bird, given, { body })).rejects.toThrow('there is no signature')
    const secrets = { api_key: given.secrets.api_key }
    await expect(readCallback(bird, { ...given, secrets }, { body })).rejects.toThrow(
      'webhook_secret is not set',
    )
  })
})
