/** What people reply to an SMS, as Twilio passes it on. */
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'

const carillon = useCarillon()
const AUTH_TOKEN = 'f00dfacef00dfacef00dfacef00dface'
const NUMBER = '+41790000000'
let callbackUrl: string
let sid = 0

beforeAll(async () => {
  const config = { account_sid: `AC${'0'.repeat(32)}`, from: '+15557122661' }
  const body = { name: 'twilio', kind: 'twilio', config, secrets: { auth_token: AUTH_TOKEN } }
  callbackUrl = (await carillon.request('POST', '/v1/providers', { body })).body.callback_url
})

function reply(text: string) {
  const fields = { Body: text, From: NUMBER, MessageSid: `SM${++sid}`, To: '+15557122661' }
  const signed = Object.entries(fields).map(([name, value]) => name + value)
  return carillon.request('POST', new URL(callbackUrl).pathname, {
    key: null,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', AUTH_TOKEN)
        .update(callbackUrl + signed.join(''))
        .digest('base64'),
    },
    rawBody: new URLSearchParams(fields).toString(),
  })
}
const suppressed = async () =>
  (await carillon.request('GET', '/v1/suppressions')).body.data.map(
    ({ address, reason }: { address: string; reason: string }) => `${address} ${reason}`,
  )

describe('a reply to an SMS', () => {
  it('is answered with instructions to do nothing, as Twilio expects', async () => {
    const answer = await reply('thanks')
    expect(answer.headers['content-type']).toMatch(/^text\/xml/)
    expect(answer.body).toMatch(/<Response><\/Response>$/)
  })

  it.each(['START', 'unstop'])('STOP suppresses the number, and %s lifts that', async word => {
    await reply('STOP')
    expect(await suppressed()).toEqual([`${NUMBER} unsubscribed`])
    await reply(word)
    expect(await suppressed()).toEqual([])
  })

  it('START does not lift what the person has not asked for', async () => {
    const body = { channel: 'sms', address: NUMBER }
    await carillon.request('POST', '/v1/suppressions', { body })
    await reply('START')
    expect(await suppressed()).toEqual([`${NUMBER} manual`])
  })
})
