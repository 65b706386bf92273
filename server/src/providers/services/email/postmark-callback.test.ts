import { describe, expect, it } from 'vitest'
import { ForgedCallback } from '../kind.ts'
import { NOW, readCallback } from './callback.fixture.ts'
import { postmark } from './postmark.ts'

const TOKEN = 'a-long-password-for-callbacks'
const given = {
  config: { from: 'bells@acme.example' },
  secrets: { server_token: 'k', callback_token: TOKEN },
}

const common = {
  ServerID: 23,
  MessageStream: 'outbound',
  MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
  Tag: '',
  Metadata: { message_id: 'rec-2.route-3', notification_id: '0197f2a0-0000-7000-8000-000000000002' },
}
const bounce = {
  ...common,
  RecordType: 'Bounce',
  ID: 42,
  Type: 'HardBounce',
  TypeCode: 1,
  Name: 'Hard bounce',
  Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
  Details: 'smtp;550 5.1.1 no such user',
  Email: 'ada@example.org',
  From: 'bells@acme.example',
  BouncedAt: '2026-03-01T06:59:50-05:00',
  Inactive: true,
  CanActivate: true,
}
const change = {
  ...common,
  RecordType: 'SubscriptionChange',
  ChangedAt: '2026-03-01T11:59:50Z',
  Recipient: 'ada@example.org',
  Origin: 'Recipient',
  SuppressSending: true,
  SuppressionReason: 'ManualSuppression',
}
const delivery = {
  ...common,
  RecordType: 'Delivery',
  Recipient: 'ada@example.org',
  DeliveredAt: '2026-03-01T11:59:50Z',
  Details: 'Test delivery webhook details',
}

function post(record: unknown, authorization = `Basic ${btoa(`carillon:${TOKEN}`)}`) {
  return readCallback(postmark, given, {
    headers: { authorization },
    body: Buffer.from(JSON.stringify(record)),
  })
}

describe('a report with the password', () => {
  it('is read, and a repeat has the same event id', async () => {
    const expected = [
      {
        message_id: 'rec-2.route-3',
        event_id: '883953f4-6105-42a2-a16a-77a8eac79483:Bounce:42',
        kind: 'bounced',
        recipient: 'ada@example.org',
        suppress: { address: 'ada@example.org', reason: 'hard_bounce' },
        detail: 'smtp;550 5.1.1 no such user',
        at: new Date('2026-03-01T11:59:50Z'),
      },
    ]
    expect(await post(bounce)).toEqual(expected)
    expect(await post(bounce)).toEqual(expected)
  })

  it.each<[string, Record<string, unknown>, string, string | undefined]>([
    ['a delivery', delivery, 'delivered', undefined],
    ['a soft bounce', { ...bounce, Type: 'SoftBounce' }, 'bounced', undefined],
    ['an invalid address', { ...bounce, Type: 'BadEmailAddress' }, 'bounced', 'hard_bounce'],
    [
      'a complaint',
      { ...bounce, RecordType: 'SpamComplaint', Type: 'SpamComplaint' },
      'complained',
      'complaint',
    ],
    ['an unsubscription', change, 'unsubscribed', 'unsubscribed'],
    [
      'an opened mail',
      { ...delivery, RecordType: 'Open', ReceivedAt: '2026-03-01T11:59:50Z' },
      'opened',
      undefined,
    ],
  ])('%s', async (_title, record, kind, reason) => {
    const [feedback] = await post(record)
    expect(feedback).toMatchObject({
      message_id: 'rec-2.route-3',
      kind,
      at: new Date('2026-03-01T11:59:50Z'),
    })
    expect(feedback?.suppress).toEqual(reason && { address: 'ada@example.org', reason })
  })

  it.each<[string, unknown]>([
    ['a delay', { ...bounce, Type: 'Transient' }],
    ['a vacation reply', { ...bounce, Type: 'AutoResponder' }],
    ['a resubscription', { ...change, SuppressSending: false, SuppressionReason: null }],
    ['a change caused by a bounce', { ...change, SuppressionReason: 'HardBounce' }],
    ['a click', { ...delivery, RecordType: 'Click' }],
    ['a mail that is not ours', { ...delivery, Metadata: {} }],
    ['nothing', null],
  ])('is ignored for %s', async (_title, record) => {
    expect(await post(record)).toEqual([])
  })

  it('with an unreadable time counts as happening now', async () => {
    expect((await post({ ...delivery, DeliveredAt: 'soon' }))[0]?.at).toEqual(new Date(NOW))
  })
})

describe('a report is refused', () => {
  it.each([
    '',
    'Basic',
    `Bearer ${TOKEN}`,
    `Basic ${btoa('carillon:')}`,
    `Basic ${btoa(`carillon:${TOKEN}x`)}`,
    `Basic ${btoa(`carillon:${TOKEN.slice(0, -1)}`)}`,
    `Basic ${btoa(`${TOKEN}:`)}`,
  ])('with the authorization "%s"', async authorization => {
    await expect(post(delivery, authorization)).rejects.toThrow(ForgedCallback)
  })
})
