import { describe, expect, it } from 'vitest'
import { chooseLocale, loadLanguage } from './choose.ts'
import { later as ENGLISH_LATER } from './en/later.ts'
import { words as ENGLISH_WORDS } from './en.ts'
import { type Forms, sayCount } from './say.ts'

const ENGLISH = { ...ENGLISH_WORDS, ...ENGLISH_LATER }
const allWords = async (locale: string) => {
  const { words, later } = await loadLanguage(locale)
  return { ...words, ...(await later()) }
}
const OTHERS = ['ar', 'de', 'es', 'fr', 'ja', 'pt']

/** Every sentence with its path; the forms of a plural are one sentence. */
function sentences(words: object, path = ''): [string, string | Forms][] {
  return Object.entries(words).flatMap(([name, value]) => {
    const at = `${path}.${name}`
    return typeof value === 'string' || 'other' in value ? [[at, value]] : sentences(value, at)
  })
}

const formsOf = (sentence: string | Forms): string[] =>
  typeof sentence === 'string' ? [sentence] : Object.values(sentence)
const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()

describe.each(OTHERS)('%s', locale => {
  it('says everything that English says, and nothing else', async () => {
    const words = await allWords(locale)
    const paths = (all: object) => sentences(all).map(([path]) => path)
    expect(paths(words).sort()).toEqual(paths(ENGLISH).sort())
  })

  it('puts the same values into its sentences', async () => {
    const words = await allWords(locale)
    const own = new Map(sentences(words))
    for (const [path, sentence] of sentences(ENGLISH)) {
      const [expected, found] = [sentence, own.get(path)!].map(each =>
        placeholders(typeof each === 'string' ? each : each.other),
      )
      expect(found, path).toEqual(expected)
      for (const form of formsOf(own.get(path)!)) {
        expect(form.trim(), path).not.toBe('')
        for (const placeholder of placeholders(form)) expect(expected, path).toContain(placeholder)
      }
    }
  })

  it('has all forms of its plurals and no other', async () => {
    const words = await allWords(locale)
    const needed = new Intl.PluralRules(locale).resolvedOptions().pluralCategories
    // French, Spanish and Portuguese have one for whole millions, which nobody has here.
    const expected = needed.filter(form => form !== 'many' || locale === 'ar').sort()
    for (const [path, sentence] of sentences(words))
      if (typeof sentence !== 'string') expect(Object.keys(sentence).sort(), path).toEqual(expected)
  })
})

it('chooses among the six forms of Arabic, with the digits of the region', async () => {
  const { words } = await loadLanguage('ar')
  const said = (count: number) => sayCount('ar-EG', words.shell.more, count)
  expect([0, 1, 2, 3, 11, 100].map(said)).toEqual([
    'ولا شيء آخر',
    'وإشعار واحد آخر',
    'وإشعاران آخران',
    'و٣ إشعارات أخرى',
    'و١١ إشعارًا آخر',
    'و١٠٠ إشعار آخر',
  ])
})

it.each([
  [['de-AT', 'fr'], 'de-AT'],
  [[undefined, null, '', 'pt_BR'], 'pt-BR'],
  [['nl', 'ja'], 'ja'],
  [['nl', 'no such locale'], 'en'],
  [['en-GB', 'de'], 'en-GB'],
])('of %j speaks %s', (wanted, expected) => {
  expect(chooseLocale(wanted)).toBe(expected)
})

it('runs from right to left in Arabic alone', async () => {
  expect((await loadLanguage('ar-EG')).direction).toBe('rtl')
  expect((await loadLanguage('ja')).direction).toBe('ltr')
})
