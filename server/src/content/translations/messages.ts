/** Translated messages: MessageFormat 2, with the plural rules of the language they are written in. */
import { MessageError, MessageFormat, MessageSyntaxError, parseMessage, validate } from 'messageformat'
import { DefaultFunctions, DraftFunctions } from 'messageformat/functions'
import { BUILT_IN_MESSAGES } from './built-in-messages.ts'
import { directionOf, localeChain } from './locale.ts'

/** The messages of one language. What was said once is remembered: many recipients of one notification read the same. */
export interface Catalog {
  locale: string
  messages: Record<string, string>
  said: Map<string, string>
}

/** By language in small letters. */
export type Catalogs = ReadonlyMap<string, Catalog>

export type Translate = (key: string, parameters: Record<string, unknown>) => string

const MOST_REMEMBERED = 1000
const LONGEST_REMEMBERED = 500

export function createCatalog(locale: string, messages: Record<string, string>): Catalog {
  return { locale, messages, said: new Map() }
}

/** Throws when there is no message for the key, or it needs a parameter that is not given. */
export function createTranslate(catalogs: Catalogs, locale: string, timezone = 'UTC'): Translate {
  return (key, parameters) => {
    const catalog = findCatalog(catalogs, locale, key)
    if (catalog === undefined) throw new Error(missingKey(key, locale))
    refuseObjects(key, parameters)
    const zone = NAMES_TIME.test(catalog.messages[key]!) ? timezone : 'UTC'
    const call = JSON.stringify([key, parameters, zone])
    let said = catalog.said.get(call)
    if (said === undefined) {
      said = formatMessage(catalog, key, parameters, zone)
      if (catalog.said.size >= MOST_REMEMBERED) catalog.said.clear()
      if (call.length <= LONGEST_REMEMBERED) catalog.said.set(call, said)
    }
    return said
  }
}

export function findCatalog(catalogs: Catalogs, locale: string, key: string): Catalog | undefined {
  const known = localeChain(locale).map(name => catalogs.get(name))
  return [...known, BUILT_IN].find(catalog => catalog !== undefined && Object.hasOwn(catalog.messages, key))
}

const BUILT_IN = createCatalog('en', BUILT_IN_MESSAGES)

export const missingKey = (key: string, locale: string): string =>
  `there is no translation "${key}" in ${localeChain(locale).join(' or ')}`

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
/** Only these messages read differently in another zone. */
const NAMES_TIME = /:(?:date|datetime|time)\b/

/** Times are the reader's unless the message says otherwise, wherever the server stands. */
function functionsIn(timeZone: string): typeof DraftFunctions {
  const there = <Function extends typeof date | typeof datetime | typeof time>(format: Function): Function =>
    ((context, options, operand) => format(context, { timeZone, ...options }, operand)) as Function
  return { ...DraftFunctions, date: there(date), datetime: there(datetime), time: there(time) }
}

function formatMessage(
  catalog: Catalog,
  key: string,
  parameters: Record<string, unknown>,
  zone: string,
): string {
  const message = new MessageFormat(catalog.locale, catalog.messages[key]!, {
    functions: functionsIn(zone),
    // Invisible marks around every value would turn an SMS into one of the expensive kind; right to left needs them.
    bidiIsolation: directionOf(catalog.locale) === 'rtl' ? 'default' : 'none',
  })
  const errors: unknown[] = []
  const said = message.format(parameters, error => errors.push(error))
  if (errors.length === 0) return said
  throw new Error(`the translation "${key}" (${catalog.locale}): ${describe(errors[0])}`)
}

/** They would let a message look around in them. */
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
