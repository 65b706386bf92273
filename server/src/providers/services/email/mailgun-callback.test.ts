import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ForgedCallback } from '../kind.ts'
import { NOW_SECONDS, readCallback } from './callback.fixture.ts'
import { mailgun } from './mailgun.ts'

const KEY = 'key-signing-1'
const TOKEN = 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123'
const given = {
  config: { from: 'bells@mg.acme.example', domain: 'mg.acme.example' },
  secrets: { api_key: 'k', signing_key: KEY },
}

const delivered = {
  event: 'delivered',
  id: 'CPgfbmQMTCKtHW6uIWtuVe',
  timestamp: 1_772_366_390.5,
  'log-level': 'info',
  recipient: 'ada@example.org',
  'user-variables': {
    message_id: 'rec-2.route-3',
    notification_id: '0197f2a0-0000-7000-8000-000000000002',
  },
  'delivery-status': { code: 250, message: 'OK', description: null, 'attempt-no': 1 },
  message: { headers: { 'message-id': 'rec-2.route-3@mg.acme.example' } },
}

interface Signed {
  seconds?: number
  key?: string
  token?: string
  /** Fields that are sent instead of the signed ones. */
  instead?: Record<string, string>
}

function post(event: unknown, { seconds = NOW_SECONDS, key = KEY, token = TOKEN, instead }: Signed = {}) {
  const timestamp = String(seconds)
  const signature = createHmac('sha256', key)
    .update(timestamp + token)
    .digest('hex')
  const body = { signature: { timestamp, token, signature, ...instead }, 'event-data': event }
  return readCallback(mailgun, given, { body: Buffer.from(JSON.stringify(body)) })
}

describe('a signed report', () => {
  it('is read', async () => {
    expect(await post(delivered)).toEqual([
      {
        message_id: 'rec-2.route-3',
        event_id: TOKEN,
        kind: 'delivered',
        recipient: 'ada@example.org',
        detail: 'OK',
        at: new Date('2026-03-01T11:59:50.500Z'),
      },
    ])
  })

  it('that is repeated, or whose token is used for another event, has the same event id', async () => {
    const [first] = await post(delivered)
    const [again] = await post(delivered)
    const [forged] = await post({ ...delivered, event: 'complained' })
    expect(again?.event_id).toBe(first?.event_id)
    expect(forged?.event_id).toBe(first?.event_id)
  })

  it.each<[Record<string, unknown>, string, string | undefined]>([
    [{ event: 'failed', severity: 'permanent', reason: 'bounce' }, 'bounced', 'hard_bounce'],
    [{ event: 'failed', severity: 'permanent', reason: 'suppress-bounce' }, 'bounced', 'hard_bounce'],
    [{ event: 'failed', severity: 'permanent', reason: 'suppress-complaint' }, 'bounced', 'complaint'],
    [{ event: 'failed', severity: 'permanent', reason: 'suppress-unsubscribe' }, 'bounced', 'unsubscribed'],
    [{ event: 'failed', severity: 'permanent', reason: 'generic' }, 'bounced', undefined],
    [{ event: 'complained' }, 'complained', 'complaint'],
    [{ event: 'unsubscribed' }, 'unsubscribed', 'unsubscribed'],
    [{ event: 'opened' }, 'opened', undefined],
  ])('%j means %s and suppresses for %s', async (fields, kind, reason) => {
    const [feedback] = await post({ ...delivered, ...fields })
    expect(feedback?.kind).toBe(kind)
    expect(feedback?.suppress).toEqual(reason && { address: 'ada@example.org', reason })
  })

  it.each([
    { event: 'failed', severity: 'temporary', reason: 'generic' },
    { event: 'accepted' },
    { event: 'clicked' },
    { 'user-variables': {} },
  ])('is ignored for %j, but its token is used up', async fields => {
    const feedback = await post({ ...delivered, ...fields })
    expect(feedback).toMatchObject([{ message_id: '', kind: 'ignored' }])
    expect(feedback[0]?.event_id).toBe((await post(delivered))[0]?.event_id)
  })
})

describe('a report is refused', () => {
  it.each<Record<string, string>>([
    { token: TOKEN.replace('e', 'f') },
    { timestamp: String(NOW_SECONDS + 1) },
    { signature: 'ab' },
  ])('when %j was changed in it', async instead => {
    await expect(post(delivered, { instead })).rejects.toThrow('the signature is not valid')
  })

  it('when another key signed it', async () => {
    await expect(post(delivered, { key: 'other' })).rejects.toThrow(ForgedCallback)
  })

  it('when it was signed too long ago', async () => {
    await expect(post(delivered, { seconds: NOW_SECONDS - 301 })).rejects.toThrow('the timestamp is too old')
  })

  it.each(['', '{', '{}', '{"signature":{}}', 'null'])('when its body is "%s"', async body => {
    await expect(readCallback(mailgun, given, { body: Buffer.from(body) })).rejects.toThrow(ForgedCallback)
  })
})
