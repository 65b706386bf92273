/** What people reply to an SMS, as the services pass it on. */
import { createHash, createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const SECRET = 'f00dfacef00dfacef00dfacef00dface'
const NUMBER = '+41790000000'
const callbackUrls: Record<string, string> = {}
let replies = 0

const PROVIDERS = {
  twilio: {
    config: { account_sid: `AC${'0'.repeat(32)}`, from: '+15557122661' },
    secrets: { auth_token: SECRET },
  },
  vonage: {
    config: { api_key: 'abcd1234', from: '15557122661' },
    secrets: { api_secret: 's', signature_secret: SECRET },
  },
  bird: {
    config: { from: '+15557122661' },
    secrets: { api_key: 'bk_eu1_0123', webhook_secret: `whsec_${SECRET}` },
  },
}
type Kind = keyof typeof PROVIDERS

beforeAll(async () => {
  for (const [kind, settings] of Object.entries(PROVIDERS)) {
    const body = { name: kind, kind, ...settings }
    callbackUrls[kind] = (await carillon.request('POST', '/v1/providers', { body })).body.callback_url
  }
})

interface Call {
  headers: Record<string, string>
  rawBody: string
}

/** As each service sends and signs it. */
const CALLS: Record<Kind, (text: string, secret: string, channel?: string) => Call> = {
  twilio(text, secret) {
    const fields = { Body: text, From: NUMBER, MessageSid: `SM${++replies}`, To: '+15557122661' }
    const signed = Object.entries(fields).map(([name, value]) => name + value)
    const signature = createHmac('sha1', secret).update(callbackUrls.twilio + signed.join(''))
    return {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signature.digest('base64'),
      },
      rawBody: new URLSearchParams(fields).toString(),
    }
  },
  vonage(text, secret, channel = 'sms') {
    const message = { channel, message_uuid: `uuid-${++replies}`, from: NUMBER.slice(1), text }
    const rawBody = JSON.stringify(message)
    const payload_hash = createHash('sha256').update(rawBody).digest('hex')
    const claims = { iat: Math.floor(Date.now() / 1000), api_key: 'abcd1234', payload_hash }
    const content = [{ alg: 'HS256', typ: 'JWT' }, claims]
      .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = createHmac('sha256', secret).update(content).digest('base64url')
    return {
      headers: { 'content-type': 'application/json', authorization: `Bearer ${content}.${signature}` },
      rawBody,
    }
  },
  bird(text, secret) {
    const id = `evt_${++replies}`
    const now = new Date()
    const rawBody = JSON.stringify({
      type: 'sms.received',
      timestamp: now.toISOString(),
      data: { from: NUMBER, to: '+15557122661', metadata: null, text },
    })
    return {
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(`whsec_${secret}`).sign(id, now, rawBody),
      },
      rawBody,
    }
  },
}

const call = (kind: Kind, request: Call) =>
  carillon.request('POST', new URL(callbackUrls[kind]!).pathname, { key: null, ...request })
const reply = (kind: Kind, text: string, secret = SECRET) => call(kind, CALLS[kind](text, secret))
const suppressed = async () =>
  (await carillon.request('GET', '/v1/suppressions')).body.data.map(
    ({ address, reason }: { address: string; reason: string }) => `${address} ${reason}`,
  )

it('Twilio is answered with instructions to do nothing about a reply', async () => {
  const answer = await reply('twilio', 'thanks')
  expect(answer.headers['content-type']).toMatch(/^text\/xml/)
  expect(answer.body).toMatch(/<Response><\/Response>$/)
})

describe.each(['twilio', 'vonage', 'bird'] as const)('a reply to an SMS through %s', kind => {
  it.each(['START', 'unstop'])('a reply of STOP suppresses the number, and %s lifts that', async word => {
    await reply(kind, 'STOP')
    expect(await suppressed()).toEqual([`${NUMBER} unsubscribed`])
    await reply(kind, word)
    expect(await suppressed()).toEqual([])
  })

  it('a STOP whose call is repeated after START changes nothing', async () => {
    const stop = CALLS[kind]('STOP', SECRET)
    await call(kind, stop)
    await reply(kind, 'START')
    expect((await call(kind, stop)).status).toBe(200)
    expect(await suppressed()).toEqual([])
  })

  it('a reply with a stranger’s signature is refused', async () => {
    const answer = await reply(kind, 'STOP', 'deadbeefdeadbeefdeadbeefdeadbeef')
    expect(problemOf(answer)).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect(await suppressed()).toEqual([])
  })
})

it.each(['NUL \0', 'half a character \ud83d'])(
  'an opt-out counts, whatever else the reply says: %j',
  async text => {
    const fields = { Body: text, From: NUMBER, MessageSid: `SM${++replies}`, OptOutType: 'STOP' }
    // As it is after its way through UTF-8, which is what gets signed.
    const sent = Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      Buffer.from(value).toString(),
    ])
    const signed = createHmac('sha1', SECRET).update(callbackUrls.twilio + sent.flat().join(''))
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signed.digest('base64'),
    }
    const rawBody = new URLSearchParams(sent).toString()
    expect((await call('twilio', { headers, rawBody })).status).toBe(200)
    expect(await suppressed()).toEqual([`${NUMBER} unsubscribed`])
    await reply('twilio', 'START')
  },
)

it('STOP in an MMS suppresses the number', async () => {
  const vonage = CALLS.vonage('STOP', SECRET, 'mms')
  expect((await call('vonage', vonage)).status).toBe(200)
  expect(await suppressed()).toEqual([`${NUMBER} unsubscribed`])
  await reply('vonage', 'START')
})

it('START does not lift a suppression that the person did not ask for', async () => {
  const body = { channel: 'sms', address: NUMBER }
  await carillon.request('POST', '/v1/suppressions', { body })
  await reply('twilio', 'START')
  expect(await suppressed()).toEqual([`${NUMBER} manual`])
})
