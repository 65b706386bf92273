/** The texts of a page in its reader's language: the tenant's where it has its own, else those that Carillon brings. */
import type { Executor } from '../../platform/database/pool.ts'
import { directionOf, FALLBACK, localeChain } from './locale.ts'
import { type Catalog, type Catalogs, createCatalog, createTranslate, findCatalog } from './messages.ts'
import type { PageMessageKey } from './page-messages/en.ts'
import { PAGE_MESSAGES, PAGE_PREFIX } from './page-messages.ts'
import { selectMessagesUnder } from './queries.ts'

export interface PageTexts {
  locale: string
  direction: 'ltr' | 'rtl'
  text(key: PageMessageKey, parameters?: Record<string, string>): string
  /** A message that only the tenant can have, such as the name of one of its categories. */
  own(key: string): string | undefined
}

export type Messages = Record<string, string>

/** `wished` are the reader's languages, the preferred one first. */
export async function loadPageTexts(
  db: Executor,
  tenantId: string,
  wished: string[],
  fallbackLocale: string,
): Promise<PageTexts> {
  const rows = await selectMessagesUnder(db, tenantId, PAGE_PREFIX)
  return createPageTexts(rows, wished, fallbackLocale)
}

export function createPageTexts(
  own: { locale: string; messages: Messages }[],
  wished: string[],
  fallbackLocale = 'en',
): PageTexts {
  const catalogs = new Map(BUILT_IN)
  for (const { locale, messages } of own) {
    const name = locale.toLowerCase()
    catalogs.set(name, createCatalog(locale, { ...PAGE_MESSAGES[name], ...messages }))
  }
  const fallback = narrowing(fallbackLocale).find(name => catalogs.has(name))
  if (fallback !== undefined) catalogs.set(FALLBACK, withAncestors(catalogs, fallback))
  const found = wished.flatMap(narrowing).find(name => catalogs.has(name)) ?? fallback ?? 'en'
  const { locale } = catalogs.get(found)!
  const translate = createTranslate(catalogs, locale)
  const translateBuiltIn = createTranslate(BUILT_IN, locale)
  return {
    locale,
    direction: directionOf(locale),
    text(key, parameters = {}) {
      try {
        return translate(key, parameters)
      } catch {
        // A tenant's message that needs something else than it is given is no reason to show no page.
        return translateBuiltIn(key, parameters)
      }
    },
    own(key) {
      try {
        return findCatalog(catalogs, locale, key) && translate(key, {})
      } catch {
        return undefined
      }
    },
  }
}

const BUILT_IN: Catalogs = new Map(
  Object.entries(PAGE_MESSAGES).map(([locale, messages]) => [locale, createCatalog(locale, messages)]),
)

/** de-CH-1996 → de-ch-1996, de-ch, de */
function narrowing(locale: string): string[] {
  return localeChain(locale).slice(0, locale.split(/[-_]/).length)
}

/** What the fallback language lacks, its shorter forms may have: the chain knows only one fallback. */
function withAncestors(catalogs: Catalogs, name: string): Catalog {
  const known = narrowing(name).flatMap(each => catalogs.get(each) ?? [])
  return createCatalog(
    known[0]!.locale,
    Object.assign({}, ...known.map(({ messages }) => messages).reverse()),
  )
}
