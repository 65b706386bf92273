/** Mails without a template. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import type { Message } from '../messages/message.ts'

const carillon = useCarillon()
const messages: Message[] = []

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@x.example', locale: 'de' })
  await carillon.putUser('amal', { email: 'amal@x.example', locale: 'ar' })
  await carillon.putType('news', { channels: ['email', 'sms'] })
  const branding = { name: 'Nordwind', primary_color: '#aa0011', footer: 'Kai 1\nHamburg' }
  expect((await carillon.request('PATCH', '/v1/branding', { body: branding })).status).toBe(200)
})
beforeEach(() => {
  messages.length = 0
})

async function mailOf(payload: object, user = 'ada'): Promise<Message> {
  const worker = carillon.deliver(message => {
    messages.push(message)
    return { kind: 'sent' }
  })
  const audience = { kind: 'users', user_ids: [user] }
  const id = await carillon.send({ notification_type: 'news', audience, channels: ['email'], payload })
  await carillon.settled(id, 'sent')
  await worker.stop()
  return messages.at(-1)!
}
const LAYOUT = '/v1/template-parts/layout/default'
const layoutOf = (text: string) =>
  `<!doctype html><html><head><style>h1 { color: teal }</style></head><body>${text}<div>{{ content }}</div></body></html>`

it('a mail without a template has layout, branding, language and dark mode like all others', async () => {
  const { html, text } = await mailOf({ title: 'Hello & goodbye', body: 'One\ntwo\n\n<b>three</b>' })
  expect(html).toContain('<html lang="de" dir="ltr">')
  expect(html).toContain('<title>Hello &amp; goodbye</title>')
  expect(html).toContain('Nordwind')
  expect(html).toContain('Kai 1<br />\nHamburg')
  expect(html).toContain('name="color-scheme" content="light dark"')
  expect(html).toContain('prefers-color-scheme: dark')
  // styles are inlined, in every paragraph
  expect(html).toMatch(/<h1 dir="auto" style="[^"]*24px[^"]*">Hello &amp; goodbye<\/h1>/)
  expect(html!.match(/<p dir="auto" style="[^"]*margin[^"]*">[^<]*(<br>[^<]*)?<\/p>/g)).toHaveLength(2)
  expect(html).toContain('&lt;b&gt;three&lt;/b&gt;</p>')
  expect(text).toBe('One\ntwo\n\n<b>three</b>')
})

it('a mail without a template runs from right to left for a reader of Arabic', async () => {
  expect((await mailOf({ title: 'مرحبا', body: 'أهلا' }, 'amal')).html).toContain(
    '<html lang="ar" dir="rtl">',
  )
})

it('a mail without a template shows a web address in `url` as a button, and no other value', async () => {
  const url = 'https://x.example/orders/7?a=1&b="2"'
  const named = await mailOf({ body: 'Read.', url, action: 'See the order' })
  expect(named.html).toMatch(
    /<a class="button" href="https:\/\/x\.example\/orders\/7\?a=1&amp;b=&quot;2&quot;" style="[^"]*#aa0011[^"]*">See the order<\/a>/,
  )
  expect(named.text).toBe(`Read.\n\nSee the order: ${url}`)
  expect((await mailOf({ body: 'Read.', url: 'https://x.example/' })).html).toMatch(
    /class="button"[^>]*>Öffnen<\/a>/,
  )
  for (const [i, bad] of [
    'javascript:alert(1)',
    'data:text/html,x',
    '/orders/7',
    7,
    'https://a b',
  ].entries()) {
    const { html } = await mailOf({ body: `Read ${i}.`, url: bad })
    expect(html).not.toContain('class="button"')
  }
})

it('a mail without a template has a subject even if the texts of its payload are blank', async () => {
  const named = await mailOf({ title: ' \n', subject: ' Two\n lines ', body: '\t', message: 'Read.' })
  expect([named.subject, named.text]).toEqual(['Two lines', 'Read.'])
  const blank = await mailOf({ title: ' ', body: ' \n ' })
  expect([blank.subject, blank.text]).toEqual(['News', 'News'])
  const listed = await mailOf({ title: 'Two\nlines', order: 7 })
  expect([listed.subject, listed.text]).toEqual(['Two lines', 'Order: 7'])
})

it('a mail without a template shortens a long title to a subject of 900 characters', async () => {
  const title = 'W'.repeat(10_000)
  const { subject, html } = await mailOf({ title, body: 'Read.' })
  expect(subject).toBe(`${'W'.repeat(899)}…`)
  expect(html).toContain(`>${title}</h1>`)
})

it('the text of a mail without a template has the button’s link, unless the body has it already', async () => {
  const url = 'https://x.example/1'
  expect((await mailOf({ body: `See ${url}2`, url })).text).toBe(`See ${url}2\n\n${url}`)
  expect((await mailOf({ body: `See (${url}).`, url })).text).toBe(`See (${url}).`)
})

it('a mail without a template can have 12,000 paragraphs', async () => {
  const { html } = await mailOf({ title: 'Long', body: '&\n\n'.repeat(12_000) })
  expect(html!.match(/&amp;<\/p>/g)).toHaveLength(12_000)
})

it('a mail without a template uses the tenant’s layout and partials as published', async () => {
  await carillon.request('PUT', '/v1/template-parts/partial/top', { body: { source: '<p>Top</p>' } })
  await carillon.request('PUT', LAYOUT, { body: { source: layoutOf("{% render 'top' %}") } })
  expect((await mailOf({ title: 'Draft' })).html).not.toContain('Top')
  expect((await carillon.request('POST', `${LAYOUT}/publish`, { body: {} })).status).toBe(200)
  const { html } = await mailOf({ title: 'Published', body: 'Text' })
  expect(html).toContain('<p>Top</p>')
  expect(html).toContain('<h1 dir="auto" style="color: teal;">Published</h1>')

  await carillon.request('PUT', '/v1/template-parts/partial/top', { body: { source: '<p>Summit</p>' } })
  expect((await mailOf({ title: 'Saved' })).html).toContain('<p>Top</p>')
  await carillon.request('POST', '/v1/template-parts/partial/top/publish', { body: {} })
  expect((await mailOf({ title: 'Partial' })).html).toContain('<p>Summit</p>')

  await carillon.request('DELETE', LAYOUT)
  expect((await mailOf({ title: 'Deleted' })).html).toContain('Nordwind')
})

it('publishing refuses a default layout that mails without a template could not use', async () => {
  await carillon.request('PUT', LAYOUT, { body: { source: layoutOf('<div>') } })
  const refused = await carillon.request('POST', `${LAYOUT}/publish`, { body: {} })
  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_template'])
  await carillon.request('DELETE', LAYOUT)
})

it('a mail without a template uses the built-in layout when the tenant’s cannot be filled in', async () => {
  await carillon.request('PUT', LAYOUT, { body: { source: layoutOf("{{ 'now' | date: '%Y', 'Nowhere' }}") } })
  expect((await carillon.request('POST', `${LAYOUT}/publish`, { body: {} })).status).toBe(200)
  expect((await mailOf({ title: 'Still sent' })).html).toContain('Nordwind')
  await carillon.request('DELETE', LAYOUT)
})
