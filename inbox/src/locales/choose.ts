/** Which language the element speaks, and its words; those of languages other than English are loaded when needed. */
import { words as EN } from './en.ts'
import type { LaterWords, Words } from './words.ts'

const OTHERS: Record<string, () => Promise<{ words: Words }>> = {
  ar: () => import('./ar.ts'),
  de: () => import('./de.ts'),
  es: () => import('./es.ts'),
  fr: () => import('./fr.ts'),
  ja: () => import('./ja.ts'),
  pt: () => import('./pt.ts'),
}

/** What most visitors never open. */
const LATER: Record<string, () => Promise<{ later: LaterWords }>> = {
  en: () => import('./en/later.ts'),
  ar: () => import('./ar/later.ts'),
  de: () => import('./de/later.ts'),
  es: () => import('./es/later.ts'),
  fr: () => import('./fr/later.ts'),
  ja: () => import('./ja/later.ts'),
  pt: () => import('./pt/later.ts'),
}

export interface Language {
  /** For dates, numbers and plurals: with the region, if one was asked for. */
  locale: string
  direction: 'ltr' | 'rtl'
  words: Words
  later(): Promise<LaterWords>
}

export const ENGLISH: Language = { locale: 'en', direction: 'ltr', words: EN, later: () => laterOf('en') }

/** The first of the wanted locales that there are words for, else English. */
export function chooseLocale(wanted: readonly (string | null | undefined)[]): string {
  for (const tag of wanted) {
    const locale = canonical(tag ?? '')
    if (locale !== undefined && (languageOf(locale) === 'en' || languageOf(locale) in OTHERS)) return locale
  }
  return 'en'
}

export async function loadLanguage(locale: string): Promise<Language> {
  const language = languageOf(locale)
  const { words } = language in OTHERS ? await OTHERS[language]!() : { words: EN }
  const direction = language === 'ar' ? 'rtl' : 'ltr'
  return { locale, direction, words, later: () => laterOf(language) }
}

const laterOf = async (language: string): Promise<LaterWords> => (await LATER[language]!()).later

const languageOf = (locale: string): string => locale.split('-')[0]!

/** Undefined for what is no locale: pages have all kinds of values in `lang`. */
function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag.replace('_', '-'))[0]
  } catch {
    return undefined
  }
}
