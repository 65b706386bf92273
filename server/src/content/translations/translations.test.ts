import { describe, expect, it } from 'vitest'
import { problemOf, useCarillon } from '../../../test/carillon.ts'
import { canonicalLocale, directionOf, localeChain } from './locale.ts'
import { createCatalog, createTranslate, findMessageMistake } from './messages.ts'
import { loadCatalogs } from './translations.ts'

const carillon = useCarillon()
const put = (locale: string, messages: object) =>
  carillon.request('PUT', `/v1/translations/${locale}`, { body: { messages } })
const ITEMS = (one: string, many: string) =>
  `.input {$count :integer}\n.match $count\none {{{$count} ${one}}}\n* {{{$count} ${many}}}`

const catalogs = new Map([
  ['en', createCatalog('en', { items: ITEMS('item', 'items'), only: 'English', hi: 'Hi {$name}!' })],
  ['de', createCatalog('de', { items: ITEMS('Artikel', 'Artikel'), hi: 'Hallo {$name}!' })],
  ['de-at', createCatalog('de-AT', { hi: 'Servus {$name}!' })],
  [
    'pl',
    createCatalog('pl', {
      items:
        '.input {$n :integer}\n.match $n\none {{{$n} plik}}\nfew {{{$n} pliki}}\nmany {{{$n} plików}}\n* {{{$n} pliku}}',
      price: 'Razem {$p :currency currency=EUR}, {$d :date}',
    }),
  ],
  ['ar', createCatalog('ar', { hi: 'مرحبا {$name}' })],
])

it.each([
  ['de-AT', 'hi', { name: 'Ada' }, 'Servus Ada!'],
  ['de_AT', 'items', { count: 2 }, '2 Artikel'],
  ['de-CH', 'hi', { name: 'Ada' }, 'Hallo Ada!'],
  ['de', 'only', {}, 'English'],
  ['xx', 'items', { count: 1 }, '1 item'],
  ['en', 'items', { count: '3' }, '3 items'],
  ['pl', 'items', { n: 1 }, '1 plik'],
  ['pl', 'items', { n: 3 }, '3 pliki'],
  ['pl', 'items', { n: 5 }, '5 plików'],
  ['pl', 'price', { p: 1234.5, d: '2026-03-01T23:30:00Z' }, 'Razem 1234,50 €, 1 mar 2026'],
])('in %s, the translation of %s with %j is "%s"', (locale, key, parameters, text) => {
  expect(createTranslate(catalogs, locale)(key, parameters).replaceAll('\u00a0', ' ')).toBe(text)
})

it.each<[string, string, Record<string, unknown>, RegExp]>([
  ['that is nowhere', 'nothing', {}, /no translation "nothing" in de-at or de or en/],
  ['without its parameter', 'hi', {}, /"hi" \(de-AT\): variable not available: \$name/],
  ['with a text for a number', 'items', { count: 'many' }, /not numeric/],
  ['with an object', 'hi', { name: { first: 'Ada' } }, /a text or number for "name"/],
  ['that every object has', 'constructor', {}, /no translation "constructor"/],
])('a translation %s fails', (_what, key, parameters, message) => {
  expect(() => createTranslate(catalogs, 'de-AT')(key, parameters)).toThrow(message)
})

it('a translation shows a time by each reader’s clock, whoever read the same before', () => {
  const shown = new Map([['en', createCatalog('en', { at: '{$at :datetime}' })]])
  const textIn = (zone: string) =>
    createTranslate(shown, 'en', zone)('at', { at: '2026-03-01T23:30:00Z' }).replaceAll('\u202f', ' ')
  expect(textIn('Europe/Berlin')).toBe('Mar 2, 2026, 12:30 AM')
  expect(textIn('America/New_York')).toBe('Mar 1, 2026, 6:30 PM')
  expect(textIn('Europe/Berlin')).toBe('Mar 2, 2026, 12:30 AM')
})

it('a translation has invisible marks only where text runs from right to left', () => {
  expect(createTranslate(catalogs, 'en')('hi', { name: 'Ada' })).toBe('Hi Ada!')
  expect(createTranslate(catalogs, 'ar')('hi', { name: 'Ada' })).toBe('مرحبا \u2068Ada\u2069')
})

it.each([
  ['Hi {$name', /missing .* at character/],
  ['{$n :shout}', /no function :shout/],
  ['.match $n\none {{a}}', /missing/],
  ['Hi', undefined],
])('checking the message %j finds %s', (source, mistake) => {
  if (mistake === undefined) expect(findMessageMistake(source)).toBeUndefined()
  else expect(findMessageMistake(source)).toMatch(mistake)
})

it('a language has one canonical spelling', () => {
  expect(['PT_br', 'zh-hant-tw', 'EN'].map(canonicalLocale)).toEqual(['pt-BR', 'zh-Hant-TW', 'en'])
  expect(() => canonicalLocale('x')).toThrow(/not a locale/)
})

it('a language falls back to shorter forms, the tenant’s language and English', () => {
  expect(localeChain('pt_BR')).toEqual(['pt-br', 'pt', '*', 'en'])
  expect(localeChain('en-GB')).toEqual(['en-gb', 'en', '*'])
})

it('Arabic and Hebrew run from right to left, other languages from left to right', () => {
  expect(['en', 'ar', 'he-IL', 'zz-nonsense-nonsense'].map(directionOf)).toEqual(['ltr', 'rtl', 'rtl', 'ltr'])
})

it('a PUT replaces all messages of a language, which is then listed and deleted', async () => {
  await put('pt_BR', { a: 'A', b: 'B' })
  const saved = await put('pt-br', { a: 'C' })
  expect(saved.body).toMatchObject({ locale: 'pt-BR', messages: { a: 'C' } })
  expect((await carillon.request('GET', '/v1/translations/pt-BR')).body).toEqual(saved.body)
  expect((await carillon.request('GET', '/v1/translations')).body.data).toMatchObject([
    { locale: 'pt-BR', keys: 1 },
  ])
  expect((await carillon.request('DELETE', '/v1/translations/pt-BR')).status).toBe(204)
  expect((await carillon.request('GET', '/v1/translations/pt-BR')).status).toBe(404)
  expect((await carillon.request('DELETE', '/v1/translations/pt-BR')).status).toBe(404)
})

it('a PUT refuses unusable messages and names each', async () => {
  const problem = problemOf(await put('de', { good: 'x', 'bad.one': '{$x', 'bad.two': '{$y :no}' }))
  expect(problem.errors?.map(error => error.field)).toEqual(['messages.bad.one', 'messages.bad.two'])
  expect(problemOf(await put('de', { 'a b': 'x' })).code).toBe('invalid_request')
  expect(
    problemOf(await put('de', Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`k${i}`, '']))))
      .status,
  ).toBe(400)
})

it('the audit log shows the messages that changed, whatever their keys are', {
  tags: 'S002-26',
}, async () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 'x'.repeat(50)]))
  await put('sv', { ...many, 'login.password': 'Lösenord', old: 'x' })
  await put('sv', { ...many, 'login.password': 'Lösenordet' })
  const [row] = await carillon.readAll('/v1/audit-logs?resource_type=translation&resource_id=sv')
  expect(row).toMatchObject({ action: 'update' })
  expect(row.old_values).toEqual({ 'messages["login.password"]': 'Lösenord', 'messages["old"]': 'x' })
  expect(row.new_values).toEqual({ 'messages["login.password"]': 'Lösenordet' })
  await carillon.request('DELETE', '/v1/translations/sv')
})

it('each tenant has its own translations', async () => {
  await put('fr', { a: 'A' })
  const { key } = await carillon.createTenant('other translations')
  expect((await carillon.request('GET', '/v1/translations/fr', { key })).status).toBe(404)
})

it('loadCatalogs does not read an unchanged language again', async () => {
  await put('fr', { a: 'un' })
  await put('it', { a: 'uno' })
  const first = await loadCatalogs(carillon.pool, carillon.tenantId)
  await put('it', { a: 'due' })
  const second = await loadCatalogs(carillon.pool, carillon.tenantId, first)
  expect(first.get('fr')?.messages).toEqual({ a: 'un' })
  expect(second.get('fr')).toBe(first.get('fr'))
  expect(second.get('it')?.messages).toEqual({ a: 'due' })
})

describe('changing the messages of a language', () => {
  const path = '/v1/translations/nl'
  const change = (body: object) => carillon.request('PATCH', path, { body })

  it('a PATCH keeps the messages that it does not mention, and removes one that is null', async () => {
    await carillon.request('PUT', path, { body: { messages: { hello: 'Hallo', bye: 'Dag', yes: 'Ja' } } })
    const { status, body } = await change({ messages: { bye: 'Doei', yes: null, no: 'Nee' } })
    expect(status).toBe(200)
    expect(body.messages).toEqual({ hello: 'Hallo', bye: 'Doei', no: 'Nee' })
    expect((await change({})).body.messages).toEqual(body.messages)
  })

  it('a PATCH refuses an invalid message and an unknown language', async () => {
    const problem = problemOf(await change({ messages: { hello: '{$' } }))
    expect(problem).toMatchObject({ status: 400, errors: [{ field: 'messages.hello' }] })
    const unknown = await carillon.request('PATCH', '/v1/translations/xh', { body: { messages: {} } })
    expect(unknown.status).toBe(404)
  })
})
