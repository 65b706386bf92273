import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Feedback, ForgedCallback } from '../kind.ts'
import { someSettings } from '../settings.fixture.ts'
import { twilio } from './twilio.ts'

const TOKEN = '12345'
const URL_OF_MESSAGE = 'https://bells.example/v1/callbacks/p-1?message_id=rec-2.route-3'
const NOW = Date.parse('2026-03-01T12:00:00Z')

const settings = someSettings({ config: {}, secrets: { auth_token: TOKEN }, now: () => NOW })

function hmac(text: string): string {
  return createHmac('sha1', TOKEN).update(text).digest('base64')
}

/** According to Twilio's documentation: the URL, then the name and value of each field, sorted by name. */
function sign(url: string, fields: Record<string, string>): string {
  const names = Object.keys(fields).sort()
  return hmac(url + names.map(name => name + fields[name]).join(''))
}

function read(url: string, body: string, headers: Record<string, string>): Promise<Feedback[]> {
  return twilio.callback!.read({ url, headers, body: Buffer.from(body) }, settings)
}

function readForm(fields: Record<string, string>, url = URL_OF_MESSAGE): Promise<Feedback[]> {
  const body = new URLSearchParams(fields).toString()
  return read(url, body, { 'x-twilio-signature': sign(url, fields) })
}

describe('the signature', () => {
  it("is valid for the example in Twilio's documentation", async () => {
    const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
    const fields = {
      CallSid: 'CA1234567890ABCDE',
      Caller: '+14158675309',
      Digits: '1234',
      From: '+14158675309',
      To: '+18005551212',
    }
    expect(sign(url, fields)).toBe('RSOYDt4T1cUTdK1PDd93/VVr8B8=')
    expect(await readForm(fields, url)).toEqual([])
  })

  it.each([
    [
      'signed with the default port that it omits',
      'https://bells.example/cb',
      'https://bells.example:443/cb',
    ],
    ['signed without its port', 'https://bells.example:8443/cb?a=1', 'https://bells.example/cb?a=1'],
    ['with plain http', 'http://bells.example/cb', 'http://bells.example:80/cb'],
  ])('is valid for the URL %s', async (_title, url, signedUrl) => {
    const headers = { 'x-twilio-signature': sign(signedUrl, { A: '1' }) }
    expect(await read(url, 'A=1', headers)).toEqual([])
  })

  it('counts a repeated field once per value', async () => {
    const url = 'https://bells.example/cb'
    expect(await read(url, 'B=2&A=2&A=1&A=2', { 'x-twilio-signature': hmac(`${url}A1A2B2`) })).toEqual([])
  })

  it('of a JSON body covers the URL, which contains the body’s hash', async () => {
    const body = JSON.stringify({ MessageSid: 'SM1', MessageStatus: 'delivered' })
    const url = `${URL_OF_MESSAGE}&bodySHA256=${createHash('sha256').update(body).digest('hex')}`
    const headers = { 'x-twilio-signature': hmac(url), 'content-type': 'application/json' }
    expect(await read(url, body, headers)).toMatchObject([{ kind: 'delivered' }])
    await expect(read(url, body.replace('SM1', 'SM2'), headers)).rejects.toThrow(ForgedCallback)
  })

  const status = { MessageSid: 'SM1', MessageStatus: 'delivered' }
  it.each<[string, string, string, Record<string, string>]>([
    ['is missing', URL_OF_MESSAGE, 'MessageStatus=delivered', {}],
    [
      'is of other fields',
      URL_OF_MESSAGE,
      'MessageSid=SM2&MessageStatus=delivered',
      { 'x-twilio-signature': sign(URL_OF_MESSAGE, status) },
    ],
    [
      'is of another message',
      URL_OF_MESSAGE.replace('route-3', 'route-4'),
      'MessageSid=SM1&MessageStatus=delivered',
      { 'x-twilio-signature': sign(URL_OF_MESSAGE, status) },
    ],
    [
      'covers a hash that the body does not have',
      `${URL_OF_MESSAGE}&bodySHA256=00`,
      '{}',
      { 'x-twilio-signature': hmac(`${URL_OF_MESSAGE}&bodySHA256=00`) },
    ],
  ])('is refused when it %s', async (_title, url, body, headers) => {
    await expect(read(url, body, headers)).rejects.toThrow(ForgedCallback)
  })
})

describe('a status', () => {
  const report = { MessageSid: 'SM1', To: '+41790000000', From: '+15557122661' }

  it.each<[string, Feedback['kind']]>([
    ['delivered', 'delivered'],
    ['undelivered', 'bounced'],
    ['failed', 'failed'],
    ['read', 'opened'],
  ])('%s is %s', async (MessageStatus, kind) => {
    expect(await readForm({ ...report, MessageStatus })).toEqual([
      {
        message_id: 'rec-2.route-3',
        event_id: `SM1:${MessageStatus}`,
        kind,
        detail: MessageStatus,
        at: new Date(NOW),
      },
    ])
  })

  it.each(['queued', 'sending', 'sent', 'accepted'])('%s is ignored', async MessageStatus => {
    expect(await readForm({ ...report, MessageStatus })).toEqual([])
  })

  it('of a message that is not ours is ignored', async () => {
    const fields = { ...report, MessageStatus: 'delivered' }
    expect(await readForm(fields, 'https://bells.example/cb')).toEqual([])
  })

  it.each([
    ['30005', { address: '+41790000000', reason: 'invalid' }],
    ['30006', { address: '+41790000000', reason: 'invalid' }],
    ['21610', { address: '+41790000000', reason: 'unsubscribed' }],
    ['30003', undefined],
  ])('with error %s suppresses %o', async (ErrorCode, suppress) => {
    const [feedback] = await readForm({ ...report, MessageStatus: 'undelivered', ErrorCode })
    expect(feedback?.suppress).toEqual(suppress)
    expect(feedback?.detail).toBe(`undelivered, error ${ErrorCode}`)
  })
})

describe('a reply', () => {
  const url = 'https://bells.example/v1/callbacks/p-1'
  const answer = { MessageSid: 'SM9', SmsStatus: 'received', From: '+41790000000', To: '+15557122661' }

  it.each<Record<string, string>>([
    { Body: 'STOP' },
    { Body: ' stop\n' },
    { Body: 'Unsubscribe' },
    { Body: 'Arrêt', OptOutType: 'STOP' },
  ])('%o unsubscribes the number', async fields => {
    expect(await readForm({ ...answer, ...fields }, url)).toEqual([
      {
        message_id: '',
        event_id: 'SM9',
        kind: 'unsubscribed',
        suppress: { address: '+41790000000', reason: 'unsubscribed' },
        detail: `replied ${fields.Body!.trim()}`,
        at: new Date(NOW),
      },
    ])
  })

  it.each<Record<string, string>>([
    { Body: 'START' },
    { Body: ' unstop\n' },
    { Body: 'Retour', OptOutType: 'START' },
  ])('%o subscribes it again', async fields => {
    expect(await readForm({ ...answer, ...fields }, url)).toMatchObject([
      { message_id: '', kind: 'resubscribed', lift: { address: '+41790000000' } },
    ])
  })

  it.each<Record<string, string>>([
    { Body: 'thanks' },
    { Body: 'please do not stop' },
    { Body: 'HELP', OptOutType: 'HELP' },
    { Body: 'STOP', OptOutType: 'HELP' },
  ])('%o does nothing', async fields => {
    expect(await readForm({ ...answer, ...fields }, url)).toEqual([])
  })
})
