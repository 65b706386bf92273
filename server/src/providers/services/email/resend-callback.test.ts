import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ForgedCallback } from '../kind.ts'
import { NOW_SECONDS, readCallback, withChangedByte } from './callback.fixture.ts'
import { resend } from './resend.ts'

const KEY = Buffer.from('a key of some length')
const given = {
  config: { from: 'bells@acme.example' },
  secrets: { api_key: 'k', webhook_secret: `whsec_${KEY.toString('base64')}` },
}

const delivered = {
  type: 'email.delivered',
  created_at: '2026-03-01T11:59:50.000Z',
  data: {
    created_at: '2026-03-01T11:59:40.000Z',
    email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
    from: 'Acme <bells@acme.example>',
    to: ['ada@example.org'],
    subject: 'Rechnung bezahlt',
    tags: { message_id: 'rec-2_route-3', notification_id: '0197f2a0-0000-7000-8000-000000000002' },
  },
}
const bounced = {
  ...delivered,
  type: 'email.bounced',
  data: { ...delivered.data, bounce: { message: 'no such user', subType: 'General', type: 'Permanent' } },
}

interface Signed {
  seconds?: number
  key?: Buffer
  prefix?: string
  others?: string
  change?: (body: Buffer) => Buffer
}

function post(event: unknown, signed: Signed = {}) {
  const { seconds = NOW_SECONDS, key = KEY, prefix = 'svix', others = '', change = same => same } = signed
  const body = Buffer.from(JSON.stringify(event))
  const signature = createHmac('sha256', key).update(`msg_1.${seconds}.`).update(body).digest('base64')
  return readCallback(resend, given, {
    headers: {
      [`${prefix}-id`]: 'msg_1',
      [`${prefix}-timestamp`]: String(seconds),
      [`${prefix}-signature`]: `${others}v1,${signature}`,
    },
    body: change(body),
  })
}

describe('a signed report', () => {
  const expected = [
    {
      message_id: 'rec-2.route-3',
      event_id: 'msg_1',
      kind: 'delivered',
      detail: '',
      at: new Date('2026-03-01T11:59:50Z'),
    },
  ]

  it('is read, and a repeat has the same event id', async () => {
    expect(await post(delivered)).toEqual(expected)
    expect(await post(delivered, { seconds: NOW_SECONDS + 60 })).toEqual(expected)
  })

  it('may list its tags as pairs, use the standard headers, and have several signatures', async () => {
    const tags = [
      { name: 'notification_id', value: 'n' },
      { name: 'message_id', value: 'rec-2_route-3' },
    ]
    expect(await post({ ...delivered, data: { ...delivered.data, tags } })).toEqual(expected)
    expect(await post(delivered, { prefix: 'webhook' })).toEqual(expected)
    expect(await post(delivered, { others: 'v1,b3RoZXI= v1a,b3RoZXI= ' })).toEqual(expected)
  })

  it.each<[string, unknown, string, string | undefined]>([
    ['a permanent bounce', bounced, 'bounced', 'hard_bounce'],
    [
      'a temporary bounce',
      { ...bounced, data: { ...bounced.data, bounce: { type: 'Transient' } } },
      'bounced',
      undefined,
    ],
    ['a complaint', { ...delivered, type: 'email.complained' }, 'complained', 'complaint'],
    ['a failure', { ...delivered, type: 'email.failed' }, 'failed', undefined],
    [
      'a mail to an address that Resend has suppressed',
      {
        ...delivered,
        type: 'email.suppressed',
        data: { ...delivered.data, suppressed: { message: 'on the list', type: 'OnAccountSuppressionList' } },
      },
      'bounced',
      'hard_bounce',
    ],
    ['an opened mail', { ...delivered, type: 'email.opened' }, 'opened', undefined],
  ])('%s', async (_title, event, kind, reason) => {
    const [feedback] = await post(event)
    expect(feedback).toMatchObject({ message_id: 'rec-2.route-3', kind })
    expect(feedback?.suppress).toEqual(reason && { address: 'ada@example.org', reason })
  })

  it.each<[string, unknown]>([
    ['a sent mail', { ...delivered, type: 'email.sent' }],
    ['a mail that is not ours', { ...delivered, data: { ...delivered.data, tags: [] } }],
    ['a mail without tags', { ...delivered, data: { ...delivered.data, tags: undefined } }],
    [
      'a contact',
      { type: 'contact.updated', created_at: '2026-03-01T11:59:50Z', data: { email: 'a@b.example' } },
    ],
  ])('is ignored for %s', async (_title, event) => {
    expect(await post(event)).toEqual([])
  })
})

describe('a report is refused', () => {
  it('when a byte was changed', async () => {
    await expect(post(delivered, { change: withChangedByte })).rejects.toThrow('the signature is not valid')
  })

  it('when another key signed it', async () => {
    await expect(post(delivered, { key: Buffer.from('other') })).rejects.toThrow(ForgedCallback)
  })

  it('when it was signed too long ago', async () => {
    await expect(post(delivered, { seconds: NOW_SECONDS - 301 })).rejects.toThrow('the timestamp is too old')
  })

  it('when it is not signed', async () => {
    await expect(readCallback(resend, given, { body: Buffer.from('{}') })).rejects.toThrow(
      'there is no signature',
    )
  })
})

it('an invalid signing secret is refused with the settings', () => {
  expect(resend.secrets.safeParse({ api_key: 'k', webhook_secret: 'hunter22' }).success).toBe(false)
})
