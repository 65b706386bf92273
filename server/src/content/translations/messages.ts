/** Translated messages: MessageFormat 2, with the plural rules of the language they are written in. */
import { MessageError, MessageFormat, MessageSyntaxError, parseMessage, validate } from 'messageformat'
import { DefaultFunctions, DraftFunctions } from 'messageformat/functions'
import { MAIL_MESSAGES } from './built-in-messages.ts'
import { directionOf, FALLBACK, localeChain } from './locale.ts'

/** The messages of one language. Formatted ones are remembered: many recipients of a notification get the same. */
export interface Catalog {
  locale: string
  messages: Record<string, string>
  formatted: Map<string, string>
}

/** By locale in lower case; under FALLBACK, the one for readers of all other languages. */
export type Catalogs = ReadonlyMap<string, Catalog>

export type Translate = (key: string, parameters: Record<string, unknown>) => string

const MAX_REMEMBERED = 1000
const MAX_REMEMBERED_LENGTH = 500

export function createCatalog(locale: string, messages: Record<string, string>): Catalog {
  return { locale, messages, formatted: new Map() }
}

/** Throws if there is no message for the key, or it needs a parameter that is not given. */
export function createTranslate(catalogs: Catalogs, locale: string, timezone = 'UTC'): Translate {
  return (key, parameters) => {
    const catalog = findCatalog(catalogs, locale, key)
    if (catalog === undefined) throw new Error(missingKey(key, locale))
    refuseObjects(key, parameters)
    const zone = SHOWS_TIME.test(catalog.messages[key]!) ? timezone : 'UTC'
    const call = JSON.stringify([key, parameters, zone])
    let formatted = catalog.formatted.get(call)
    if (formatted === undefined) {
      formatted = formatMessage(catalog, key, parameters, zone)
      if (catalog.formatted.size >= MAX_REMEMBERED) catalog.formatted.clear()
      if (call.length <= MAX_REMEMBERED_LENGTH) catalog.formatted.set(call, formatted)
    }
    return formatted
  }
}

export function findCatalog(catalogs: Catalogs, locale: string, key: string): Catalog | undefined {
  // A language that Carillon brings comes before the tenant's texts in another one.
  const known = localeChain(locale).flatMap(name => [catalogs.get(name), BUILT_IN.get(name)])
  return known.find(catalog => catalog !== undefined && Object.hasOwn(catalog.messages, key))
}

const BUILT_IN: Catalogs = new Map(
  Object.entries(MAIL_MESSAGES).map(([locale, messages]) => [locale, createCatalog(locale, { ...messages })]),
)

export const missingKey = (key: string, locale: string): string =>
  `there is no translation "${key}" in ${localeChain(locale)
    .filter(name => name !== FALLBACK)
    .join(' or ')}`

/** The parameters that a message needs. */
export function parametersOf(catalog: Catalog, key: string): string[] {
  return [...validate(parseMessage(catalog.messages[key]!)).variables]
}

/** What is wrong with a message; undefined when it can be used. */
export function findMessageMistake(source: string): string | undefined {
  try {
    const { functions } = validate(parseMessage(source))
    const unknown = [...functions].find(name => !KNOWN_FUNCTIONS.has(name))
    return unknown === undefined ? undefined : `there is no function :${unknown}`
  } catch (error) {
    const start = error instanceof MessageSyntaxError ? error.start : -1
    return start < 0 ? describe(error) : `${describe(error)} at character ${start + 1}`
  }
}

const { date, datetime, time } = DraftFunctions
const KNOWN_FUNCTIONS = new Set([...Object.keys(DefaultFunctions), ...Object.keys(DraftFunctions)])
/** Only these messages depend on the time zone. */
const SHOWS_TIME = /:(?:date|datetime|time)\b/

/** Times are in the reader's zone unless the message says otherwise, never in the server's. */
function functionsIn(timeZone: string): typeof DraftFunctions {
  const inZone = <Function extends typeof date | typeof datetime | typeof time>(format: Function): Function =>
    ((context, options, operand) => format(context, { timeZone, ...options }, operand)) as Function
  return { ...DraftFunctions, date: inZone(date), datetime: inZone(datetime), time: inZone(time) }
}

function formatMessage(
  catalog: Catalog,
  key: string,
  parameters: Record<string, unknown>,
  zone: string,
): string {
  const message = new MessageFormat(catalog.locale, catalog.messages[key]!, {
    functions: functionsIn(zone),
    // Invisible marks around values would make an SMS need Unicode, which costs more; only right-to-left needs them.
    bidiIsolation: directionOf(catalog.locale) === 'rtl' ? 'default' : 'none',
  })
  const errors: unknown[] = []
  const formatted = message.format(parameters, error => errors.push(error))
  if (errors.length === 0) return formatted
  throw new Error(`the translation "${key}" (${catalog.locale}): ${describe(errors[0])}`)
}

/** A message could read any field of an object. */
function refuseObjects(key: string, parameters: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null || value === undefined || typeof value === 'object')
      throw new Error(`the translation "${key}" needs a text or number for "${name}"`)
  }
}

function describe(error: unknown): string {
  const { message } = error as Error
  if (!(error instanceof MessageError)) return message
  return message
    .replace(/ at -?\d+$/, '')
    .replaceAll('-', ' ')
    .replace(/^\w/, letter => letter.toLowerCase())
}
