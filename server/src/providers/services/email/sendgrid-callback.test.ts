import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ForgedCallback } from '../kind.ts'
import { NOW_SECONDS, readCallback, withChangedByte } from './callback.fixture.ts'
import { sendgrid } from './sendgrid.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const given = {
  config: {
    from: 'bells@acme.example',
    webhook_public_key: pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  },
  secrets: { api_key: 'k' },
}

const delivered = {
  email: 'ada@example.org',
  timestamp: 1_772_366_390,
  'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
  event: 'delivered',
  sg_event_id: 'ZGVsaXZlcmVk',
  sg_message_id: '14c5d75ce93.dfd.64b469.filter0001',
  response: '250 OK',
  message_id: 'rec-2.route-3',
  notification_id: '0197f2a0-0000-7000-8000-000000000002',
}

interface Signed {
  seconds?: number
  key?: KeyObject
  change?: (body: Buffer) => Buffer
}

function post(
  events: unknown,
  { seconds = NOW_SECONDS, key = pair.privateKey, change = same => same }: Signed = {},
) {
  const body = Buffer.from(`${JSON.stringify(events)}\r\n`)
  const signature = sign('sha256', Buffer.concat([Buffer.from(String(seconds)), body]), key)
  return readCallback(sendgrid, given, {
    headers: {
      'x-twilio-email-event-webhook-signature': signature.toString('base64'),
      'x-twilio-email-event-webhook-timestamp': String(seconds),
    },
    body: change(body),
  })
}

describe('a signed report', () => {
  it('is read, and a repeat has the same event id', async () => {
    const expected = [
      {
        message_id: 'rec-2.route-3',
        event_id: 'ZGVsaXZlcmVk',
        kind: 'delivered',
        recipient: 'ada@example.org',
        detail: '250 OK',
        at: new Date('2026-03-01T11:59:50Z'),
      },
    ]
    expect(await post([delivered])).toEqual(expected)
    expect(await post([delivered], { seconds: NOW_SECONDS + 60 })).toEqual(expected)
  })

  it.each<[Record<string, unknown>, string, string | undefined]>([
    [{ event: 'bounce', type: 'bounce', reason: '550 5.1.1 unknown user' }, 'bounced', 'hard_bounce'],
    [{ event: 'bounce', type: 'blocked', reason: '421 try later' }, 'bounced', undefined],
    [{ event: 'dropped', reason: 'Bounced Address' }, 'failed', 'hard_bounce'],
    [{ event: 'dropped', reason: 'Spam Reporting Address' }, 'failed', 'complaint'],
    [{ event: 'dropped', reason: 'Unsubscribed Address' }, 'failed', 'unsubscribed'],
    [{ event: 'dropped', reason: 'Invalid' }, 'failed', 'invalid'],
    [{ event: 'dropped', reason: 'Spam Content' }, 'failed', undefined],
    [{ event: 'spamreport' }, 'complained', 'complaint'],
    [{ event: 'unsubscribe' }, 'unsubscribed', 'unsubscribed'],
    [{ event: 'open', sg_machine_open: false }, 'opened', undefined],
  ])('%j means %s and suppresses for %s', async (fields, kind, reason) => {
    const [feedback] = await post([{ ...delivered, ...fields }])
    expect(feedback?.kind).toBe(kind)
    expect(feedback?.suppress).toEqual(reason && { address: 'ada@example.org', reason })
  })

  it('is ignored for events that are not ours, mails opened by machines, and intermediate events', async () => {
    const { message_id: _, ...foreign } = delivered
    const passing = ['processed', 'deferred', 'click'].map(event => ({ ...delivered, event }))
    const machine = { ...delivered, event: 'open', sg_machine_open: true }
    expect(await post([foreign, machine, 'text', ...passing, delivered])).toHaveLength(1)
    expect(await post({ no: 'list' })).toEqual([])
  })
})

describe('a report is refused', () => {
  it('when a byte was changed', async () => {
    await expect(post([delivered], { change: withChangedByte })).rejects.toThrow(ForgedCallback)
  })

  it('when another key signed it', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expect(post([delivered], { key: privateKey })).rejects.toThrow(ForgedCallback)
  })

  it.each([-301, 301])('when it was signed %d seconds from now', async seconds => {
    await expect(post([delivered], { seconds: NOW_SECONDS + seconds })).rejects.toThrow(
      'the timestamp is too old',
    )
  })

  it('when it is not signed', async () => {
    await expect(readCallback(sendgrid, given, { body: Buffer.from('[]') })).rejects.toThrow(ForgedCallback)
  })
})

it('an invalid key is refused with the settings', () => {
  expect(sendgrid.config.safeParse({ from: 'a@b.example', webhook_public_key: 'abc' }).success).toBe(false)
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  const webhook_public_key = rsa.export({ format: 'der', type: 'spki' }).toString('base64')
  expect(sendgrid.config.safeParse({ from: 'a@b.example', webhook_public_key }).success).toBe(false)
})
