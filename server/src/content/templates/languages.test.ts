/** The language that a reader gets, from the user's row to the finished message. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../messages/message.ts'

const carillon = useCarillon()

async function publish(locale: string): Promise<void> {
  const path = `/v1/templates/greeting/sms/${locale}`
  await carillon.request('PUT', path, { body: { body: `${locale}: {{ 'hello' | t }}`, variables: [] } })
  expect((await carillon.request('POST', `${path}/publish`, { body: {} })).status).toBe(200)
}

async function textFor(locale: string): Promise<string> {
  const texts: string[] = []
  const worker = carillon.deliver((message: Message) => {
    texts.push(message.text)
    return { kind: 'sent' }
  })
  await carillon.putUser('reader', { phone: '+4915112345678', locale })
  const audience = { kind: 'users', user_ids: ['reader'] }
  const id = await carillon.send({ notification_type: 'greeting', audience, channels: ['sms'], payload: {} })
  await carillon.settled(id, 'sent')
  await worker.stop()
  return texts[0]!
}

const settings = async (body: object) =>
  expect((await carillon.request('PATCH', '/v1/tenant', { body })).status).toBe(200)

beforeAll(async () => {
  const hello = { en: 'Hello', de: 'Hallo', 'zh-Hant': '您好' }
  for (const [locale, text] of Object.entries(hello))
    await carillon.request('PUT', `/v1/translations/${locale}`, { body: { messages: { hello: text } } })
  for (const locale of Object.keys(hello)) await publish(locale)
})

it.each([
  ['zh-Hant-TW', 'zh-Hant: 您好'],
  ['de_AT', 'de: Hallo'],
  ['fr', 'en: Hello'],
  ['', 'en: Hello'],
])('a reader with the locale "%s" gets "%s"', async (locale, text) => {
  await settings({ fallback_locale: 'en' })
  expect(await textFor(locale)).toBe(text)
})

it.each([
  ['fr', 'de: Hallo'],
  ['', 'de: Hallo'],
  ['en-GB', 'en: Hello'],
  ['zh-Hant-TW', 'zh-Hant: 您好'],
])('with German as the tenant’s fallback, a reader with the locale "%s" gets "%s"', async (locale, text) => {
  await settings({ fallback_locale: 'de-CH' })
  expect(await textFor(locale)).toBe(text)
})

it('a reader gets the nearest of the languages that the tenant offers', async () => {
  await settings({ fallback_locale: 'de', locales: ['en', 'de'] })
  expect(await textFor('en-AU')).toBe('en: Hello')
  expect(await textFor('zh-Hant')).toBe('de: Hallo')
  const { body } = await carillon.request('GET', '/v1/tenant')
  expect([body.fallback_locale, body.locales]).toEqual(['de', ['en', 'de']])
  await settings({ locales: null })
})
