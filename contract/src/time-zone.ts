/**
 * IANA time zones by their canonical names. Aliases are resolved where they come in, so that everything behind knows one
 * name per zone: what a name such as CET or IST means depends on whom you ask.
 */
import { z } from 'zod'

/** Zones that IANA has renamed, by the names that Unicode and so the runtime keep for them. */
const RENAMED: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** IANA's aliases of one word. The runtime knows more, which are its own: IST and AET are no zones of IANA. */
const ONE_WORD = new Set(
  `cet cst6cdt cuba eet egypt eire est est5edt gb gb-eire gmt gmt+0 gmt-0 gmt0 greenwich hongkong hst iceland iran israel
  jamaica japan kwajalein libya met mst mst7mdt navajo nz nz-chat poland portugal prc pst8pdt roc rok singapore turkey uct
  universal utc w-su wet zulu`.split(/\s+/),
)

/** Zones that are a number of hours: Etc/GMT+12 to Etc/GMT-14, with the signs of POSIX. */
const BY_HOURS = /^Etc\/GMT([+-][1-9]|[+-]1[0-2]|-1[34])$/

/** Every zone with a place, by its canonical name, and UTC. */
export const TIME_ZONES: readonly string[] = [
  'UTC',
  ...Intl.supportedValuesOf('timeZone')
    .map(name => RENAMED[name] ?? name)
    .filter(name => name !== 'UTC'),
]
const CANONICAL = new Set(TIME_ZONES)

/** The canonical name of a zone; undefined if IANA has none of that name. */
export function canonicalTimeZone(name: string): string | undefined {
  if (CANONICAL.has(name)) return name
  if (!name.includes('/') && !ONE_WORD.has(name.toLowerCase())) return undefined
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    const canonical = RENAMED[timeZone] ?? timeZone
    return CANONICAL.has(canonical) || BY_HOURS.test(canonical) ? canonical : undefined
  } catch {
    return undefined
  }
}

export const TimeZone = z
  .string()
  .max(50)
  .overwrite(name => canonicalTimeZone(name) ?? name)
  .refine(
    name => canonicalTimeZone(name) !== undefined,
    'Expected the name of an IANA time zone such as Europe/Berlin.',
  )
  .describe('An IANA time zone such as Europe/Berlin; aliases become the canonical name')
