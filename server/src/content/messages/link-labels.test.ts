/** The labels of the links in mails without a template. */
import { beforeAll, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { PUBLIC_URL } from '../../../test/provider-parts.ts'
import { createTemplateDirectory } from '../templates/directory.ts'
import { withLabels } from './link-labels.ts'
import { createMailLinks } from './mail-links.ts'
import type { Message } from './message.ts'

const carillon = useCarillon()
const translate = (locale: string, messages: Record<string, string>) =>
  carillon.request('PUT', `/v1/translations/${locale}`, { body: { messages } })
beforeAll(async () => {
  for (const locale of ['en', 'de', 'fr', 'it', 'sv'])
    await carillon.putUser(locale, { email: `${locale}@x.example`, locale })
  await translate('de', {
    'links.unsubscribe': 'Abbestellen & Schluss',
    'links.preferences': 'Einstellungen',
  })
  await translate('it', { 'links.unsubscribe': 'Ciao {$name}', 'links.preferences': 'Impostazioni' })
  await carillon.putType('news', { channels: ['email'] })
  await carillon.putType('comment', { channels: ['email'], digest: { window: 3600 } })
})

/** The last mail that these intents become. */
async function mailOf(...intents: object[]): Promise<Message> {
  const messages: Message[] = []
  const { keyring } = carillon.providers
  const templates = createTemplateDirectory({ pool: carillon.pool })
  const worker = carillon.deliver(
    message => {
      messages.push(message)
      return { kind: 'sent' }
    },
    { links: withLabels(createMailLinks(keyring, PUBLIC_URL, Date.now), templates.translateFor) },
  )
  for (const intent of intents) await carillon.settled(await carillon.send(intent), 'sent', 'skipped')
  await carillon.skipWaiting()
  await expect.poll(() => messages.length).toBe(1)
  await worker.stop()
  return messages[0]!
}
const to = (user: string, notification_type: string) => ({
  notification_type,
  audience: { kind: 'users', user_ids: [user] },
  payload: { title: 'Hello', body: 'Hello.' },
})

it.each([
  ['de', 'Abbestellen & Schluss', 'Einstellungen'],
  // a language that Carillon brings
  ['fr', 'Se désabonner', 'Gérer les notifications'],
  // a language that it does not bring
  ['sv', 'Unsubscribe', 'Manage notifications'],
  // a translation that needs a parameter
  ['it', 'Unsubscribe', 'Manage notifications'],
])('a mail without a template labels its links in the reader’s language: %s', async (user, leave, choose) => {
  const { text, html } = await mailOf(to(user, 'news'))
  expect(text).toMatch(new RegExp(`^Hello\\.\n\n${leave}: \\S+\n${choose}: \\S+$`))
  expect(html).toContain(`>${leave.replace('&', '&amp;')}</a>`)
  expect(html).toContain(`>${choose}</a>`)
})

it('a digest that lists titles labels its links in the reader’s language', async () => {
  const digest = await mailOf(to('de', 'comment'), { ...to('de', 'comment'), payload: { title: 'Two' } })
  expect(digest.text).toMatch(/^• Hello\n• Two\n\nAbbestellen & Schluss: \S+\nEinstellungen: \S+$/)
})

it('a digest made by a template for single messages labels its links; the template sees no labels', async () => {
  const body = { subject: '{{ title }}', body: '{{ links | json }}', variables: [{ name: 'title' }] }
  await carillon.request('PUT', '/v1/templates/comment/email/en', { body })
  await carillon.request('POST', '/v1/templates/comment/email/en/publish', { body: {} })
  const items = [to('de', 'comment'), { ...to('de', 'comment'), payload: { title: 'Two' } }]
  expect((await mailOf(...items)).text).toMatch(/^• Hello\n• Two\n\nAbbestellen & Schluss: /)
  await carillon.putType('comment', { channels: ['email'] })
  const alone = await mailOf({ ...to('de', 'comment'), idempotency_key: 'alone' })
  expect(alone.html).not.toContain('labels')
})

it('a simulated mail labels its links in the reader’s language', async () => {
  const body = { ...to('de', 'news'), idempotency_key: 'simulated' }
  const answer = await carillon.request('POST', '/v1/intents/simulate', { body })
  expect(answer.body.people[0].routes[0].message.text).toMatch(
    /Abbestellen & Schluss: \S+\nEinstellungen: \S+$/,
  )
})
