/** The links in mails, as recipients get and use them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { useSmtp } from '../../../test/smtp.ts'
import { aRoute } from '../../delivery/routes/claimed-route.fixture.ts'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { readToken } from '../signed-links/signed-links.ts'
import { createMailLinks } from './mail-links.ts'
import type { Message } from './message.ts'

const carillon = useCarillon()
const smtp = useSmtp()
const ADA = { kind: 'users', user_ids: ['ada'] }
const DAY = 86_400_000
const YEAR = 365 * DAY
const ownLinks = () => createMailLinks(carillon.providers.keyring, PUBLIC_URL, Date.now)

beforeAll(async () => {
  await carillon.putUser('ada', { email: 'ada@example.com', phone: '+4915112345678' })
  await carillon.putType('newsletter', { channels: ['email', 'sms', 'in_app'], category: 'news' })
  await carillon.putType('alarm', { channels: ['email'], category: 'news', critical: true })
})

describe('the links of a mail', () => {
  const NOW = Date.parse('2026-05-05T12:00:00Z')
  const keyring = createKeyring([newMasterKey()])
  const linksAt = (now: number) => createMailLinks(keyring, 'https://x.example', () => now)
  const linksOf = linksAt(NOW)
  const accepted = (at: number) => aRoute({ notification_id: idFrom(at) })
  const tokenOf = (url: string) => url.split('/').at(-1)!

  it('the links in a mail to a user name the person and the category', { tags: 'S001-31' }, () => {
    const { unsubscribe, preferences } = linksOf(aRoute({ category: 'news' }))!
    expect(readToken(keyring, 'unsubscribe', tokenOf(unsubscribe!), NOW)).toMatchObject({
      user_id: 'ada',
      channel: 'email',
      category: 'news',
    })
    expect(readToken(keyring, 'preferences', tokenOf(preferences), NOW)).toMatchObject({ user_id: 'ada' })
  })

  it('the links in a mail are valid for a year, also in a replay years later', { tags: 'S001-31' }, () => {
    for (const sentAt of [NOW, NOW + 3 * YEAR]) {
      const { unsubscribe, preferences } = linksAt(sentAt)(accepted(NOW))!
      const inOneYear = sentAt + YEAR - 1
      expect(readToken(keyring, 'unsubscribe', tokenOf(unsubscribe!), inOneYear)).toBeTypeOf('object')
      expect(readToken(keyring, 'preferences', tokenOf(preferences), inOneYear)).toBeTypeOf('object')
      expect(readToken(keyring, 'preferences', tokenOf(preferences), sentAt + 2 * YEAR)).toBe('expired')
    }
  })

  it('a mail repeated up to 60 days later has the same links, so services accept its known id', () => {
    for (let day = 0; day < 400; day++) {
      const at = NOW + day * DAY
      const first = linksAt(at)(accepted(at))
      expect(linksAt(at + 7 * DAY)(accepted(at))).toEqual(first)
      expect(linksAt(at + 60 * DAY)(accepted(at))).toEqual(first)
    }
  })

  it('a repeated mail that was scheduled a year ahead has the same links', () => {
    const due = NOW + YEAR
    expect(linksAt(due + 14 * DAY)(accepted(NOW))).toEqual(linksAt(due - DAY)(accepted(NOW)))
  })

  it.each([
    ['critical types', { critical: true }],
    ['plain addresses', { user_id: null }],
    ['other channels', { channel: 'sms' as const }],
  ])('%s get no links', (_name, route) => {
    expect(linksOf(aRoute(route))).toBeNull()
  })

  it('no mail has links without a public address', () => {
    expect(createMailLinks(keyring, '', () => NOW)(aRoute())).toBeNull()
  })
})

/** The id of a notification accepted at that time. */
function idFrom(at: number): string {
  const hex = at.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000002`
}

async function mailOf(intent: object, links = ownLinks()) {
  const id = await carillon.send({ channels: ['email'], payload: { body: 'Hello.' }, ...intent })
  const worker = carillon.deliver(smtp.provider, { links })
  await carillon.settled(id, 'sent')
  await worker.stop()
  const { html = '', text = '', headers } = smtp.receiver.mails.at(-1)!.parsed
  return { html, text: text.trim(), header: headers.find(({ key }) => key === 'list-unsubscribe')?.value }
}
const open = (url: string) => carillon.api.inject({ method: 'GET', url: new URL(url).pathname })

it('a mail without a template ends with two working links in both parts', async () => {
  const { html, text, header } = await mailOf({ notification_type: 'newsletter', audience: ADA })
  const lines = /^Hello\.\n\nUnsubscribe: (\S+)\nManage notifications: (\S+)$/.exec(text)
  const [unsubscribe, preferences] = [lines![1]!, lines![2]!]
  expect(header).toBe(`<${unsubscribe}>`)
  expect(html).toContain(`<a href="${unsubscribe}" style=`)
  expect(html).toContain(`<a href="${preferences}" style=`)
  expect(html.indexOf('Hello.')).toBeLessThan(html.indexOf('Unsubscribe'))

  const asked = await open(unsubscribe)
  expect([asked.statusCode, asked.body.includes('<form')]).toEqual([200, true])
  const page = await open(preferences)
  expect([page.statusCode, page.body.includes('ada@example.com')]).toEqual([200, true])
})

it('a mail of a critical type, to a plain address or without a public address has no links', async () => {
  const plain = { html: expect.not.stringContaining('<a '), text: 'Hello.', header: undefined }
  expect(await mailOf({ notification_type: 'alarm', audience: ADA })).toEqual(plain)
  const addresses = { kind: 'addresses', channel: 'email', addresses: ['bob@example.com'] }
  expect(await mailOf({ notification_type: 'newsletter', audience: addresses })).toEqual(plain)
  const nowhere = createMailLinks(carillon.providers.keyring, '', Date.now)
  expect(await mailOf({ notification_type: 'newsletter', audience: ADA }, nowhere)).toEqual(plain)
})

it('a mail escapes the addresses of its links in HTML', async () => {
  const links = () => ({ unsubscribe: 'https://x.example/?a=1&b="', preferences: 'https://x.example/<' })
  const { html } = await mailOf({ notification_type: 'newsletter', audience: ADA }, links)
  expect(html).toContain('href="https://x.example/?a=1&amp;b=&quot;"')
  expect(html).toContain('href="https://x.example/&lt;"')
})

async function messagesOf(intent: object): Promise<Message[]> {
  const messages: Message[] = []
  const worker = carillon.deliver(
    message => {
      messages.push(message)
      return { kind: 'sent' }
    },
    { links: ownLinks() },
  )
  const id = await carillon.send({ audience: ADA, ...intent })
  await carillon.settled(id, 'sent', 'skipped')
  await carillon.skipWaiting()
  await carillon.settled(id, 'sent', 'skipped')
  await expect.poll(() => messages.length).toBeGreaterThan(0)
  await worker.stop()
  return messages
}

it('SMS and inbox messages get no links', async () => {
  const payload = { body: 'Hello.' }
  const messages = await messagesOf({ notification_type: 'newsletter', channels: ['sms', 'in_app'], payload })
  expect(messages.map(({ text, html }) => [text, html])).toEqual([
    ['Hello.', null],
    ['Hello.', null],
  ])
})

it('a digest ends with two links', async () => {
  await carillon.putType('comment', { channels: ['email'], category: 'news', digest: { window: 3600 } })
  const [digest] = await messagesOf({ notification_type: 'comment', payload: { title: 'One' } })
  expect(digest!.text).toMatch(/\n\nUnsubscribe: \S+\nManage notifications: \S+$/)
  expect(digest!.html).toContain('>Manage notifications</a>')
})

it('a digest made by a template for single messages ends with two links', async () => {
  const template = { subject: '{{ title }}', body: '<p>{{ title }}</p>', variables: [{ name: 'title' }] }
  await carillon.request('PUT', '/v1/templates/remark/email/en', { body: template })
  await carillon.request('POST', '/v1/templates/remark/email/en/publish', { body: {} })
  await carillon.putType('remark', { channels: ['email'], category: 'news', digest: { window: 3600 } })
  await carillon.send({ notification_type: 'remark', audience: ADA, payload: { title: 'One' } })
  const [digest] = await messagesOf({ notification_type: 'remark', payload: { title: 'Two' } })
  expect(digest!.text).toMatch(/^• One\n• Two\n\nUnsubscribe: \S+\nManage notifications: \S+$/)
  expect(digest!.html).toContain('>Unsubscribe</a>')
})

it('a simulation shows the mail as it is sent, with links that lead nowhere', async () => {
  const intent = { notification_type: 'newsletter', channels: ['email'], payload: { body: 'Hello.' } }
  const [sent] = await messagesOf(intent)
  const body = { ...intent, audience: ADA, idempotency_key: 'simulated' }
  const answer = await carillon.request('POST', '/v1/intents/simulate', { body })
  const { message } = answer.body.people[0].routes[0]
  const withoutTokens = (text: string) =>
    text.replace(/(\/(?:unsubscribe|preferences)\/)[\w.-]+/g, '$1sample')
  expect(message).toEqual({
    subject: sent!.subject,
    text: withoutTokens(sent!.text),
    html: withoutTokens(sent!.html!),
    options: null,
  })
  for (const page of ['unsubscribe', 'preferences'])
    expect((await open(`${PUBLIC_URL}/${page}/sample`)).statusCode).toBe(400)
})
