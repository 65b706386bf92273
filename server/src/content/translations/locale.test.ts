/** PostgreSQL picks the template and Node the translations: both must pick the same language for a reader. */
import { expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { FALLBACK, localeChain } from './locale.ts'

const carillon = useCarillon()

function inNode(locale: string, written: string[], fallback: string): string | null {
  const byFallback = localeChain(fallback).find(name => written.includes(name))
  const found = localeChain(locale).find(name => written.includes(name) || (name === FALLBACK && byFallback))
  return (found === FALLBACK ? byFallback : found) ?? null
}

async function inSql(locale: string, written: string[], fallback: string): Promise<string | null> {
  const byLocale = Object.fromEntries(written.map(name => [name, name]))
  const { rows } = await carillon.pool.query('select pick_locale($1, $2, $3) as picked', [
    byLocale,
    locale,
    fallback,
  ])
  return rows[0].picked
}

it.each<[title: string, locale: string, written: string[], expected: string | null, fallback?: string]>([
  ['without the region, with the script', 'zh-Hant-TW', ['zh-hant', 'zh', 'en'], 'zh-hant'],
  ['without one part after the other', 'sl_Latn_IT_nedis_x1', ['sl-latn-it', 'sl', 'en'], 'sl-latn-it'],
  ['without all but the first', 'sl-Latn-IT-nedis', ['sl', 'en'], 'sl'],
  ['in the tenant’s language', 'fr-CA', ['de', 'en'], 'de', 'de'],
  ['in the tenant’s language without its region', 'fr-CA', ['de', 'en'], 'de', 'de-AT'],
  ['in English last', 'fr-CA', ['it', 'en'], 'en', 'de-AT'],
  ['in one’s own before the tenant’s', 'fr-CA', ['fr', 'de', 'en'], 'fr', 'de'],
  ['is the exact one', 'pt-BR', ['pt-br', 'pt', 'en'], 'pt-br'],
  ['may be written in capitals', 'PT-BR', ['pt-br', 'pt', 'en'], 'pt-br'],
  ['may be written in small letters', 'pt-br', ['pt-br', 'pt', 'en'], 'pt-br'],
  ['may have an underscore', 'pt_BR', ['pt-br', 'pt', 'en'], 'pt-br'],
  ['may have two', 'zh_Hant_TW', ['zh-hant-tw', 'zh', 'en'], 'zh-hant-tw'],
  ['without the region', 'pt-BR', ['pt', 'en'], 'pt'],
  ['without the region after an underscore', 'pt_BR', ['pt', 'en'], 'pt'],
  ['without the region in capitals', 'PT_BR', ['pt', 'en'], 'pt'],
  ['never of another region', 'pt-PT', ['pt-br', 'en'], 'en'],
  ['has no region of its own accord', 'pt', ['pt-br', 'en'], 'en'],
  ['with its script', 'sr-Latn', ['sr-latn', 'sr', 'en'], 'sr-latn'],
  ['with three letters', 'gsw-CH', ['gsw', 'en'], 'gsw'],
  ['that is unknown', 'tlh', ['de', 'en'], 'en'],
  ['that is empty', '', ['de', 'en'], 'en'],
  ['that is nothing but a dash', '-', ['de', 'en'], 'en'],
  ['English of a region', 'en-GB', ['de', 'en'], 'en'],
  ['without anything in it or in English', 'fr-CA', ['de'], null],
  ['without anything at all', 'fr-CA', [], null],
])(
  'SQL and TypeScript pick the same language (%s) for "%s" among %j',
  async (_title, locale, written, expected, fallback = 'en') => {
    expect(inNode(locale, written, fallback)).toBe(expected)
    expect(await inSql(locale, written, fallback)).toBe(expected)
  },
)
