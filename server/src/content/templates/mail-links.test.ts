/** `links` in templates: where the default layout shows them, and what a tenant's own layout can do with them. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { createMailLinks } from '../messages/mail-links.ts'
import type { Message } from '../messages/message.ts'

const carillon = useCarillon()
let type = ''
let unique = 0
beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com' })
  await carillon.putUser('emil', { email: 'emil@example.com', locale: 'de' })
})
beforeEach(() => {
  type = `type_${++unique}`
})

const MAIL = { subject: 'News', body: '<p>Hello.</p>' }

async function publish(body: object): Promise<void> {
  const path = `/v1/templates/${type}/email/en`
  const saved = await carillon.request('PUT', path, { body: { ...MAIL, ...body } })
  const published = await carillon.request('POST', `${path}/publish`, { body: {} })
  if (saved.status !== 200 || published.status !== 200)
    throw new Error(JSON.stringify([saved.body, published.body]))
}

async function mailTo(user: string): Promise<{ html: string; text: string; unsubscribe_url: string | null }> {
  const messages: Message[] = []
  const worker = carillon.deliver(
    message => {
      messages.push(message)
      return { kind: 'sent' }
    },
    { links: createMailLinks(carillon.providers.keyring, PUBLIC_URL, Date.now) },
  )
  const audience = { kind: 'users', user_ids: [user] }
  await carillon.settled(
    await carillon.send({ notification_type: type, audience, channels: ['email'] }),
    'sent',
  )
  await worker.stop()
  const { html, text, unsubscribe_url } = messages[0]!
  return { html: html!, text, unsubscribe_url }
}

it('the default layout shows both links in the footer of both parts', async () => {
  await publish({})
  const { html, text, unsubscribe_url } = await mailTo('ada')
  expect(text).toMatch(/Hello\.\n+Unsubscribe (\S+)\nManage notifications (\S+)$/)
  const [, unsubscribe, preferences] = /Unsubscribe (\S+)\nManage notifications (\S+)$/.exec(text)!
  expect(unsubscribe).toBe(unsubscribe_url)
  expect(html).toMatch(new RegExp(`<a href="${unsubscribe}"[^>]*>Unsubscribe</a>`))
  expect(html).toMatch(new RegExp(`<a href="${preferences}"[^>]*>Manage notifications</a>`))
  for (const url of [unsubscribe!, preferences!]) {
    const page = await carillon.api.inject({ method: 'GET', url: new URL(url).pathname })
    expect(page.statusCode).toBe(200)
  }
})

it('the default layout has no footer of links when there are none', async () => {
  await carillon.putType(type, { channels: ['email'], critical: true })
  await publish({})
  const { html, text } = await mailTo('ada')
  expect(text).toBe('Hello.')
  expect(html).not.toMatch(/Unsubscribe|Manage/)
})

it('the default layout labels the links with the tenant’s translations', async () => {
  const messages = { 'links.unsubscribe': 'Abmelden', 'links.preferences': 'Einstellungen' }
  await carillon.request('PUT', '/v1/translations/de', { body: { messages } })
  await publish({})
  expect((await mailTo('emil')).text).toMatch(/Abmelden \S+\nEinstellungen \S+$/)
  expect((await mailTo('ada')).text).toMatch(/Unsubscribe \S+\nManage notifications \S+$/)
})

it('a template can place the links itself, with Carillon’s labels', async () => {
  const body = `<p>Hello.</p>{% if links.unsubscribe %}<p><a href="{{ links.unsubscribe }}">{{ 'links.unsubscribe' | t }}</a></p>{% endif %}`
  await publish({ body, text: 'Hello. {{ links.preferences }}', layout: null })
  const { html, text, unsubscribe_url } = await mailTo('ada')
  expect(html).toContain(`<a href="${unsubscribe_url}">Unsubscribe</a>`)
  expect(text).toMatch(new RegExp(`^Hello\\. ${PUBLIC_URL}/preferences/[\\w.-]+$`))
})

it('a template with links is sent when there are none, and shows nothing in their place', async () => {
  await carillon.putType(type, { channels: ['email'], critical: true })
  await publish({ body: '<p>[{{ links.unsubscribe }}{{ links.preferences }}]</p>', layout: null })
  expect((await mailTo('ada')).text).toBe('[]')
})

it('a mail whose layout shows no links still has the unsubscribe header', async () => {
  const source = '<div>{{ content }}</div>'
  await carillon.request('PUT', '/v1/template-parts/layout/bare', { body: { source } })
  await publish({ layout: 'bare' })
  const { html, text, unsubscribe_url } = await mailTo('ada')
  expect([text, html.includes('<a ')]).toEqual(['Hello.', false])
  expect(unsubscribe_url).toContain(`${PUBLIC_URL}/unsubscribe/`)
})

it('a template preview shows links that lead nowhere', async () => {
  await publish({})
  const saved = await carillon.request('POST', `/v1/templates/${type}/email/en/preview`, { body: {} })
  const text = `Unsubscribe ${PUBLIC_URL}/unsubscribe/sample\nManage notifications ${PUBLIC_URL}/preferences/sample`
  expect(saved.body.text).toContain(text)
  const sms = { channel: 'sms', template: { body: '[{{ links.unsubscribe }}]' } }
  const other = await carillon.request('POST', '/v1/templates/preview', { body: sms })
  expect(other.body.text).toBe('[]')
})
