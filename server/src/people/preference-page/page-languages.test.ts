import { readFileSync } from 'node:fs'
import { CHANNELS } from '@carillon/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { contrast } from '../../content/branding/contrast.ts'
import { signToken } from '../../content/signed-links/signed-links.ts'
import { createCatalog, findMessageMistake, parametersOf } from '../../content/translations/messages.ts'
import type { PageMessageKey } from '../../content/translations/page-messages/en.ts'
import { PAGE_MESSAGES } from '../../content/translations/page-messages.ts'

const carillon = useCarillon()
const KEYS = Object.keys(PAGE_MESSAGES.en!) as PageMessageKey[]
const IN_A_MINUTE = () => new Date(Date.now() + 60_000)

beforeAll(async () => {
  await carillon.putType('newsletter', { channels: ['email', 'in_app'], category: 'news' })
  for (const channel of CHANNELS) await carillon.putType(`on ${channel}`, { channels: [channel] })
})

let people = 0
async function aPerson(locale: string): Promise<string> {
  const id = `reader-${++people}`
  await carillon.putUser(id, { email: `${id}@example.com`, locale, timezone: 'Europe/Berlin' })
  return id
}
const preferencesPath = (user_id: string, expiresAt = IN_A_MINUTE(), tenant_id = carillon.tenantId) =>
  `/preferences/${signToken(carillon.providers.keyring, 'preferences', { tenant_id, user_id }, expiresAt)}`
const unsubscribePath = (user_id: string, channel = 'email', category = 'news') => {
  const claim = { tenant_id: carillon.tenantId, user_id, channel: channel as 'email', category }
  return `/unsubscribe/${signToken(carillon.providers.keyring, 'unsubscribe', claim, IN_A_MINUTE())}`
}
const threadPath = (user_id: string) => {
  const claim = { tenant_id: carillon.tenantId, user_id, thread_kind: 'issue', thread_id: '42' }
  return `/unsubscribe/thread/${signToken(carillon.providers.keyring, 'thread', claim, IN_A_MINUTE())}`
}
const open = async (url: string, acceptLanguage = '') =>
  (await carillon.api.inject({ url, headers: { 'accept-language': acceptLanguage } })).body
const post = async (url: string, payload: string) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return (await carillon.api.inject({ method: 'POST', url, payload, headers })).body
}
const translate = (locale: string, messages: object) =>
  carillon.request('PUT', `/v1/translations/${locale}`, { body: { messages } })
const brand = (changes: object) => carillon.request('PATCH', '/v1/branding', { body: changes })
const settings = (changes: object) => carillon.request('PATCH', '/v1/tenant', { body: changes })

it.each(Object.keys(PAGE_MESSAGES))(
  'the page texts of %s are complete and take the same parameters',
  locale => {
    const messages = PAGE_MESSAGES[locale]!
    expect(Object.keys(messages)).toEqual(KEYS)
    const [catalog, english] = [createCatalog(locale, messages), createCatalog('en', PAGE_MESSAGES.en!)]
    for (const key of KEYS) {
      expect([key, messages[key].trim(), findMessageMistake(messages[key])]).toEqual([
        key,
        messages[key],
        undefined,
      ])
      expect([key, parametersOf(catalog, key).sort()]).toEqual([key, parametersOf(english, key).sort()])
    }
  },
)

it('the page texts are all documented', () => {
  const document = readFileSync(new URL('../../../../docs/reference/page-texts.md', import.meta.url), 'utf8')
  const rows = [...document.matchAll(/^\| `(page\.[a-z_.]+)` \| (.+) \|$/gm)].map(([, key, text]) => [
    key,
    text,
  ])
  expect(Object.fromEntries(rows)).toEqual(PAGE_MESSAGES.en)
})

it.each([
  ['en', 'ltr', 'Your notifications'],
  ['de-AT', 'ltr', 'Ihre Benachrichtigungen'],
  ['fr_CA', 'ltr', 'Vos notifications'],
  ['es', 'ltr', 'Sus notificaciones'],
  ['pt-BR', 'ltr', 'Suas notificações'],
  ['ja', 'ltr', '通知の設定'],
  ['ar-EG', 'rtl', 'إشعاراتك'],
  ['sw', 'ltr', 'Your notifications'],
])('a reader of %s gets pages that run %s and are titled %s', async (locale, direction, title) => {
  const html = await open(preferencesPath(await aPerson(locale)), 'tlh, ko')
  const language = locale === 'sw' ? 'en' : locale.slice(0, 2)
  expect(html).toContain(`<html lang="${language}" dir="${direction}">`)
  expect(html).toContain(`<h1>${title}</h1>`)
})

it('pages name days and times as people with their language do', async () => {
  const html = await open(preferencesPath(await aPerson('fr')))
  expect(html).toContain('<option value="monday" selected>lundi</option>')
  expect(html).toContain('Jusqu’à demain 08:00')
  expect(await open(preferencesPath(await aPerson('en')))).toMatch(/Until tomorrow at 8:00\sAM/)
})

it('readers of a language without texts get the tenant’s fallback language', async () => {
  await settings({ fallback_locale: 'pt-PT' })
  expect(await open(preferencesPath(await aPerson('it')))).toContain('<html lang="pt" dir="ltr">')
  await settings({ fallback_locale: 'en' })
})

it('the browser’s language is used for people without one and for links with a bad signature', async () => {
  const spanish = 'tlh, es-MX;q=0.8, fr;q=0.9;x=1, de;q=0, *;q=0.1'
  expect(await open(preferencesPath(await aPerson('')), spanish)).toContain('<html lang="fr"')
  const broken = await open('/preferences/nonsense', 'ar-EG,ar;q=0.9')
  expect(broken).toContain('<html lang="ar" dir="rtl">')
  expect(broken).toContain(`<h1>${PAGE_MESSAGES.ar!['page.broken.title']}</h1>`)
  expect(await open('/unsubscribe/nonsense', '"><script>')).toContain('<html lang="en" dir="ltr">')
})

it('a tenant’s own texts replace every built-in one, escaped', async () => {
  const own = (key: string) => `<b>${key}</b>`
  await translate('de', Object.fromEntries(KEYS.map(key => [key, own(key)])))
  const id = await aPerson('de')
  const page = preferencesPath(id)
  const pause = (channels: object) =>
    carillon.request('PATCH', `/v1/users/${id}/preferences`, { body: { channels } })
  const paused = { paused_until: '2999-01-01T00:00:00.000Z' }
  await brand({ name: null })
  const shown = [await open(`${page}?saved=1`), await post(page, 'shown=&timezone=Mars')]
  shown.push(await post(page, 'shown=&quiet_rows=1&quiet=on'))
  await brand({ name: 'Shop' })
  await pause({ email: paused })
  shown.push(await open(page))
  await pause({ email: paused, sms: paused, push: paused, chat: paused })
  shown.push(await open(page))
  for (const channel of CHANNELS) shown.push(await open(unsubscribePath(id, channel)))
  shown.push(await post(unsubscribePath(id), 'List-Unsubscribe=One-Click'))
  shown.push(await post(unsubscribePath(id, 'email', ''), ''))
  shown.push(await open(threadPath(id)))
  await carillon.request('PUT', '/v1/categories/news', { body: { required: true } })
  shown.push(await open(page), await open(unsubscribePath(id)), await open(unsubscribePath(id, 'email', '')))
  await carillon.request('DELETE', '/v1/categories/news')
  shown.push(await open(preferencesPath(id, new Date(0))))
  await brand({ name: null })
  await settings({ fallback_locale: 'de' })
  shown.push(await open(preferencesPath('gone')))
  await settings({ fallback_locale: 'en' })
  // Texts that are put into others, and into those they are put into.
  const parts = (text: string) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  await translate('de', {
    'page.unsubscribe.category': '[{$by}] {$category}',
    'page.pause.active_on': '{$channels} {$until}',
    ...Object.fromEntries(CHANNELS.map(channel => [`page.by.${channel}`, own(`page.by.${channel}`)])),
  })
  for (const channel of CHANNELS) shown.push(await open(unsubscribePath(id, channel)))
  await carillon.request('DELETE', '/v1/translations/de')
  const all = shown.join('\n')
  expect(KEYS.filter(key => !all.includes(parts(own(key))))).toEqual([])
  expect(all).not.toContain('<b>')
})

it('a tenant’s own texts add a language, and fall back key by key', async () => {
  await translate('it', { 'page.preferences.title': 'Le tue notifiche' })
  await translate('de-CH', { 'page.quiet.title': 'Ruhe, bitte' })
  const [italian, swiss] = [
    await open(preferencesPath(await aPerson('it-CH'))),
    await open(preferencesPath(await aPerson('de-CH'))),
  ]
  expect(italian).toContain('<html lang="it" dir="ltr">')
  expect(italian).toMatch(/<h1>Le tue notifiche<\/h1>[\s\S]+<h2 id="when">Quiet hours/)
  expect(swiss).toContain('<html lang="de-CH" dir="ltr">')
  expect(swiss).toMatch(/<h1>Ihre Benachrichtigungen<\/h1>[\s\S]+<h2 id="when">Ruhe, bitte/)
  for (const locale of ['it', 'de-CH']) await carillon.request('DELETE', `/v1/translations/${locale}`)
})

it('a tenant’s text that cannot be filled in leaves the built-in one', async () => {
  await translate('en', { 'page.preferences.title': 'Hello {$nobody}', 'page.preferences.save': 'Keep' })
  const html = await open(preferencesPath(await aPerson('en')))
  expect(html).toMatch(/<h1>Your notifications<\/h1>[\s\S]+<button type="submit">Keep<\/button>/)
  await carillon.request('DELETE', '/v1/translations/en')
})

it('a tenant’s texts name and describe categories', async () => {
  await carillon.request('PUT', '/v1/categories/news', {
    body: { name: 'News <1>', description: 'What is new' },
  })
  const [english, german] = [await aPerson('en'), await aPerson('de')]
  expect(await open(preferencesPath(english))).toContain(
    '<bdi>News &lt;1&gt;</bdi> <span class="hint"><bdi>What is new</bdi></span>',
  )
  await translate('de', { 'page.category.news': 'Neues', 'page.category.news.description': 'Was es gibt' })
  expect(await open(preferencesPath(german))).toMatch(
    /<bdi>Neues<\/bdi> <span class="hint"><bdi>Was es gibt<\/bdi>[\s\S]+<span><bdi>Neues<\/bdi><\/span>/,
  )
  expect(await open(unsubscribePath(german))).toContain('zum Thema „Neues“')
  expect(await open(unsubscribePath(english))).toContain('about “News &lt;1&gt;” by email')
  await carillon.request('DELETE', '/v1/translations/de')
  await carillon.request('DELETE', '/v1/categories/news')
})

it('a tenant’s own texts are on no other tenant’s pages', async () => {
  await translate('en', { 'page.preferences.title': 'Only ours' })
  const other = await carillon.createTenant('Other & sons')
  await carillon.request('PUT', '/v1/users/bob', { body: { locale: 'en' }, key: other.key })
  const html = await open(preferencesPath('bob', IN_A_MINUTE(), other.id))
  expect(html).toContain('<title>Your notifications · Other &amp; sons</title>')
  await carillon.request('DELETE', '/v1/translations/en')
})

describe('a tenant’s brand', () => {
  const policyOf = async (url: string) =>
    String((await carillon.api.inject({ url })).headers['content-security-policy'])

  it('a tenant’s brand is on its pages, whose policy allows its logo and nothing else', async () => {
    const logo_url = 'https://cdn.example.com/logo;script-src%20*.png'
    await brand({ name: 'Shöp <1>', logo_url, website_url: 'https://example.com/', primary_color: '#ffd400' })
    const id = await aPerson('en')
    for (const path of [preferencesPath(id), unsubscribePath(id), preferencesPath(id, new Date(0))]) {
      const html = await open(path)
      expect(html).toContain(
        `<a href="https://example.com/" rel="noreferrer"><img src="${logo_url}" alt="Shöp &lt;1&gt;" height="36"></a>`,
      )
      expect(html).toMatch(/<title>.+ · Shöp &lt;1&gt;<\/title>/)
      // Yellow is hard to read on white.
      const [, accent, text] = /:root \{ --accent: (#\w{6}); --accent-text: (#\w{6}); \}/.exec(html)!
      expect(contrast(accent!, '#ffffff')).toBeGreaterThanOrEqual(4.5)
      expect(contrast(accent!, text!)).toBeGreaterThanOrEqual(4.5)
      expect(html).toContain(':root { --accent: #ffd400; --accent-text: #000000; }')
      expect(await policyOf(path)).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; img-src https:\/\/cdn.example.com; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      )
    }
    expect(await open(preferencesPath(id))).toContain('Choose what Shöp &lt;1&gt; sends you, and when.')
    await brand({ logo_url: null, website_url: null })
    expect(await open(preferencesPath(id))).toContain(
      '<header class="brand"><bdi>Shöp &lt;1&gt;</bdi></header>',
    )
  })

  it('a page whose link has no valid signature shows no brand', async () => {
    expect(await open('/preferences/nonsense')).not.toContain('Shöp')
  })
})
