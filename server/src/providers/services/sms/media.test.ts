/** Media in text messages, and WhatsApp through Twilio. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../../test/carillon.ts'
import { startHttpReceiver } from '../../../../test/receivers/http-receiver.ts'
import type { Message } from '../../../content/messages/message.ts'
import type { ProviderKind } from '../kind.ts'
import { aMessage } from '../message.fixture.ts'
import { someSettings } from '../settings.fixture.ts'
import { bird } from './bird.ts'
import { twilio } from './twilio.ts'
import { vonage } from './vonage.ts'

const carillon = useCarillon()
const ACCOUNT = { account_sid: 'AC0123456789abcdef0123456789abcdef', from: '+15557122661' }
const TOKEN = { auth_token: 'f00dfacef00dfacef00dfacef00dface' }
const [PNG, PDF] = ['https://x.example/a.png?v=1', 'https://x.example/b.pdf']
const WHATSAPP = { channel: 'chat', address: 'whatsapp:+41790000000' } as const

async function sentBy(kind: ProviderKind, config: object, secrets: object, message: Partial<Message>) {
  const receiver = await startHttpReceiver()
  receiver.answerWith(() => ({ status: 201, body: '{}' }))
  const settings = {
    config: kind.config.parse({ ...config, base_url: receiver.url }),
    secrets: kind.secrets.parse(secrets),
  }
  const provider = kind.create(someSettings(settings))
  const sms = { channel: 'sms', address: '+41790000000', text: 'Look:' } as const
  const outcome = await provider.send(aMessage({ ...sms, ...message }), new AbortController().signal)
  await receiver.stop()
  return { outcome, body: String(receiver.requests[0]?.body) }
}
const byTwilio = async (message: Partial<Message>, config: object = {}) => {
  const { body } = await sentBy(twilio, { ...ACCOUNT, ...config }, TOKEN, message)
  return [...new URLSearchParams(body)]
}
const byVonage = async (media: string[], address = '+14155550100', from = '14155550101') => {
  const message = { address, options: { media } }
  return JSON.parse((await sentBy(vonage, { api_key: 'k', from }, { api_secret: 's' }, message)).body)
}

it('Twilio fetches each of them', async () => {
  expect(await byTwilio({ options: { media: [PNG, PDF] } })).toEqual([
    ['To', '+41790000000'],
    ['From', '+15557122661'],
    ['Body', 'Look:'],
    ['MediaUrl', PNG],
    ['MediaUrl', PDF],
  ])
})

it('Vonage sends one picture as an MMS, and links to everything else', async () => {
  expect(await byVonage([PNG])).toMatchObject({
    channel: 'mms',
    message_type: 'image',
    image: { url: PNG, caption: 'Look:' },
    to: '14155550100',
  })
  expect(await byVonage([PDF])).toMatchObject({ channel: 'sms', text: `Look:\n${PDF}` })
  expect(await byVonage([PNG, PNG])).toMatchObject({ channel: 'sms', text: `Look:\n${PNG}\n${PNG}` })
})

it('where Vonage has no MMS, outside of North America or from a name, a picture is a link', async () => {
  const link = { channel: 'sms', message_type: 'text', text: `Look:\n${PNG}` }
  expect(await byVonage([PNG], '+41790000000')).toMatchObject(link)
  expect(await byVonage([PNG], '+14155550100', 'Acme')).toMatchObject(link)
})

it('Bird sends links, for which a long text makes room', async () => {
  const secrets = { api_key: 'bk_eu1_key' }
  const { body } = await sentBy(bird, { from: 'Acme' }, secrets, {
    text: 'x'.repeat(3000),
    options: { media: [PNG] },
  })
  expect(JSON.parse(body).text).toMatch(/^x+\.\.\.\nhttps:\/\/x\.example\/a\.png\?v=1$/)
})

it('a person is reached on WhatsApp, from a number there', async () => {
  expect(await byTwilio({ ...WHATSAPP, options: { media: [PNG] } })).toEqual([
    ['To', 'whatsapp:+41790000000'],
    ['From', 'whatsapp:+15557122661'],
    ['Body', 'Look:'],
    ['MediaUrl', PNG],
  ])
})

it('with the content template that the message names, or that of the settings', async () => {
  const named = `HX${'0a'.repeat(16)}`
  const standard = `HX${'0b'.repeat(16)}`
  const config = { content_sid: standard }
  const options = { content_sid: named, content_variables: { name: 'Ada' } }
  expect((await byTwilio({ ...WHATSAPP, options }, config)).slice(2)).toEqual([
    ['ContentSid', named],
    ['ContentVariables', '{"name":"Ada"}'],
  ])
  expect((await byTwilio(WHATSAPP, config)).slice(2)).toEqual([
    ['ContentSid', standard],
    ['ContentVariables', '{"1":"Look:"}'],
  ])
  // WhatsApp refuses placeholders with line breaks or many spaces, and long ones
  const text = `Dear Ada,\n\n\tyour      order ${'x'.repeat(2000)}`
  const [, [, variables]] = (await byTwilio({ ...WHATSAPP, text }, config)).slice(2) as [
    unknown,
    [string, string],
  ]
  expect(JSON.parse(variables)[1]).toMatch(/^Dear Ada, your order x{800,}\.\.\.$/)
  expect(JSON.parse(variables)[1].length).toBeLessThan(1024)
  // a text message has no template
  expect((await byTwilio({}, config)).slice(2)).toEqual([['Body', 'Look:']])
})

it('a Twilio provider sends text messages unless its settings say chat', async () => {
  const body = { name: 'twilio', kind: 'twilio', config: ACCOUNT, secrets: TOKEN }
  const texts = await carillon.request('POST', '/v1/providers', { body })
  expect([texts.status, texts.body.channel]).toEqual([201, 'sms'])
  const chats = await carillon.request('POST', '/v1/providers', {
    body: { ...body, name: 'wa', channel: 'chat' },
  })
  expect([chats.status, chats.body.channel]).toEqual([201, 'chat'])
})

it('a person without a WhatsApp address is not called at all', async () => {
  const { outcome, body } = await sentBy(twilio, ACCOUNT, TOKEN, { channel: 'chat', address: '' })
  expect([outcome.kind, body]).toEqual(['permanent', 'undefined'])
  expect(outcome).toHaveProperty('message', expect.stringContaining('no WhatsApp address'))
})
