/** A tenant's translations: checked when saved, and loaded for rendering. */
import type { Translations } from '@carillon/contract'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import type { Client, Executor } from '../../platform/database/pool.ts'
import { FALLBACK, localeChain } from './locale.ts'
import { type Catalog, createCatalog, findMessageMistake } from './messages.ts'
import {
  deleteTranslations,
  selectTranslations,
  selectTranslationTimes,
  type TranslationsRow,
  upsertTranslations,
} from './queries.ts'

/** By locale in lower case. */
export type LoadedCatalogs = Map<string, Catalog & { updatedAt: number }>

const MAX_KEYS = 5000

export async function findTranslations(
  db: Executor,
  tenantId: string,
  locale: string,
): Promise<Translations | undefined> {
  const [row] = await selectTranslations(db, tenantId, [locale])
  return row && toTranslations(row)
}

export async function putTranslations(
  db: Executor,
  tenantId: string,
  locale: string,
  messages: Record<string, string>,
): Promise<Translations> {
  const keys = Object.keys(messages)
  if (keys.length > MAX_KEYS) throw refuse([{ field: 'messages', message: `At most ${MAX_KEYS} keys.` }])
  const errors = keys.flatMap(key => {
    const message = findMessageMistake(messages[key]!)
    return message === undefined ? [] : [{ field: `messages.${key}`, message }]
  })
  if (errors.length > 0) throw refuse(errors)
  return toTranslations(await upsertTranslations(db, tenantId, locale, messages))
}

/** Messages that are not mentioned stay; null removes one. */
export async function changeTranslations(
  tx: Client,
  tenantId: string,
  locale: string,
  changes: Record<string, string | null>,
): Promise<Translations> {
  const found = await findTranslations(tx, tenantId, locale)
  if (found === undefined) throw noTranslation(locale)
  const changed = Object.entries({ ...found.messages, ...changes }).filter(
    (message): message is [string, string] => message[1] !== null,
  )
  return putTranslations(tx, tenantId, locale, Object.fromEntries(changed))
}

/** Returns what was removed. */
export async function removeTranslations(
  db: Executor,
  tenantId: string,
  locale: string,
): Promise<Translations> {
  const row = await deleteTranslations(db, tenantId, locale)
  if (row === undefined) throw noTranslation(locale)
  return toTranslations(row)
}

export const noTranslation = (locale: string): Refusal => notFound(`translation into ${locale}`)

function toTranslations(row: TranslationsRow): Translations {
  return { ...row, updated_at: row.updated_at.toISOString() }
}

function refuse(errors: { field: string; message: string }[]): Refusal {
  return new Refusal('invalid_request', `${errors[0]!.field}: ${errors[0]!.message}`, errors)
}

/** `known` is what was loaded before: only languages that have changed since are read again. */
export async function loadCatalogs(
  db: Executor,
  tenantId: string,
  known: LoadedCatalogs = new Map(),
): Promise<LoadedCatalogs> {
  const times = await selectTranslationTimes(db, tenantId)
  const isCurrent = ({ locale, updated_at }: { locale: string; updated_at: Date }) =>
    known.get(locale.toLowerCase())?.updatedAt === updated_at.getTime()
  const changed = times.filter(time => !isCurrent(time)).map(({ locale }) => locale)
  const rows = changed.length === 0 ? [] : await selectTranslations(db, tenantId, changed)
  const loaded: LoadedCatalogs = new Map()
  for (const { locale } of times) {
    const name = locale.toLowerCase()
    const row = rows.find(candidate => candidate.locale === locale)
    const catalog =
      row === undefined
        ? known.get(name)
        : { ...createCatalog(locale, row.messages), updatedAt: row.updated_at.getTime() }
    if (catalog !== undefined) loaded.set(name, catalog)
  }
  const fallback = localeChain(times[0]?.fallback_locale ?? 'en').find(name => loaded.has(name))
  if (fallback !== undefined) loaded.set(FALLBACK, loaded.get(fallback)!)
  return loaded
}
