/** Locales: their canonical spelling, and what to fall back to. */
import { getLocaleDir } from 'messageformat/functions'
import { Refusal } from '../../platform/calls/refusal.ts'

/** pt_br → pt-BR */
export function canonicalLocale(given: string): string {
  try {
    return Intl.getCanonicalLocales(given.replaceAll('_', '-'))[0] ?? given
  } catch {
    const message = `"${given}" is not a locale; expected one such as en or pt-BR.`
    throw new Refusal('invalid_request', message, [{ field: 'locale', message }])
  }
}

/** Stands for the tenant's fallback language in a chain; the name is that of RFC 4647 for "anything". */
export const FALLBACK = '*'

/**
 * Exact, else without the last part and so on, else the tenant's fallback, else en; in lower case. PostgreSQL's
 * pick_locale() does the same for templates.
 */
export function localeChain(locale: string): string[] {
  const parts = locale.replaceAll('_', '-').toLowerCase().split('-')
  const shorter = parts.map((_, i) => parts.slice(0, parts.length - i).join('-'))
  return [...new Set([...shorter, FALLBACK, 'en'])]
}

/** The nearest locale that this runtime supports, which may be en. */
export function knownLocale(locale: string): string {
  let known = knownLocales.get(locale)
  if (known === undefined) {
    known = findKnown(locale.replaceAll('_', '-'))
    if (knownLocales.size < MAX_REMEMBERED) knownLocales.set(locale, known)
  }
  return known
}

function findKnown(locale: string): string {
  try {
    return new Intl.DateTimeFormat([locale, 'en']).resolvedOptions().locale
  } catch {
    return 'en'
  }
}

const knownLocales = new Map<string, string>()
const MAX_REMEMBERED = 1000

/** Remembered, because finding out takes longer than rendering a short text, and there are few languages. */
export function directionOf(locale: string): 'ltr' | 'rtl' {
  let direction = directions.get(locale)
  if (direction === undefined) {
    direction = getLocaleDir(locale.replaceAll('_', '-')) === 'rtl' ? 'rtl' : 'ltr'
    if (directions.size < MAX_REMEMBERED) directions.set(locale, direction)
  }
  return direction
}

const directions = new Map<string, 'ltr' | 'rtl'>()
