/**
 * The date filters of templates. A moment is shown by the reader's clock and in the reader's language. A day or time
 * without a zone is shown as written: it is not a moment, so there is nothing to convert.
 */
import { type Context, type FilterImplOptions, filters } from 'liquidjs'

/** The reader's language and clock. */
export interface Calendar {
  /** Supported by Intl. */
  locale: string
  /** How many milliseconds the clock is ahead of UTC at a moment. */
  offsetAt(at: number): number
}

export const DATE_FILTERS = [
  'date',
  'date_to_xmlschema',
  'date_to_rfc822',
  'date_to_string',
  'date_to_long_string',
]

/** The cost of a date, and again of each month or day name in it: looking those up is slow. */
const DATE_COST = 250
const NAME_FORMATS = /%[-_0^#]*[aAbBh]/g
const MINUTE_MS = 60_000

/** `calendarOf` finds the calendar of whoever a render is for. */
export function createDateFilters(
  calendarOf: (context: Context) => Calendar,
): Record<string, FilterImplOptions> {
  return Object.fromEntries(DATE_FILTERS.map(name => [name, inCalendar(filters[name] as Filter)]))

  function inCalendar(filter: Filter): Filter {
    return function (value, ...given) {
      const names = String(given[0]).match(NAME_FORMATS)?.length ?? 0
      this.context.memoryLimit.use(DATE_COST * (1 + names))
      const date = withZone(value)
      if (date === undefined) return value
      const { locale, offsetAt } = calendarOf(this.context)
      const at = momentOf(value)
      // The library expects minutes behind UTC, not ahead of it.
      const timezoneOffset = at === undefined ? 0 : -offsetAt(at) / MINUTE_MS
      const opts = Object.create(this.context.opts, set({ locale, timezoneOffset }))
      const context = Object.create(this.context, set({ opts }))
      try {
        return filter.call({ ...this, context }, date, ...given)
      } catch (error) {
        if (error instanceof RangeError) throw new Error(`there is no time zone "${given[1]}"`)
        throw error
      }
    }
  }
}

type Filter = Extract<FilterImplOptions, (...values: never[]) => unknown>

const set = (values: object): PropertyDescriptorMap =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))

/** Zones that Date.parse knows by name. */
const NAMED_ZONE = /(?:z|utc?|gmt|[ecmp][sd]t)$/i
const TIME_WITH_ZONE = /:\d{2}.*(?:z|utc?|gmt|[ecmp][sd]t|[+-]\d{2}(?::?\d{2})?)$/i
const TIME_IN_ISO = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/
/** No date is longer, and an endless text would keep the regular expressions busy. */
const MAX_DATE_LENGTH = 100

/** In milliseconds; undefined if the value is not a moment, or not a date at all. */
function momentOf(value: unknown): number | undefined {
  const at = new Date(readMoment(value)).getTime()
  return Number.isNaN(at) ? undefined : at
}

function readMoment(value: unknown): number {
  if (typeof value === 'number') return value * 1000
  if (typeof value !== 'string') return Number.NaN
  if (isNow(value)) return Date.now()
  if (isSeconds(value)) return Number(value) * 1000
  return TIME_WITH_ZONE.test(withoutZoneName(value)) ? Date.parse(value) : Number.NaN
}

/** Adds UTC where no zone is named, which would be read by the server's clock. undefined: the text is not a date. */
function withZone(value: unknown): unknown {
  if (typeof value !== 'string' || isNow(value) || isSeconds(value)) return value
  if (value.length > MAX_DATE_LENGTH) return undefined
  const text = withoutZoneName(value)
  if (NAMED_ZONE.test(text) || TIME_WITH_ZONE.test(text)) return text
  const at = Date.parse(TIME_IN_ISO.test(text) ? `${text}Z` : `${text} UTC`)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

const isNow = (text: string): boolean => text === 'now' || text === 'today'
const isSeconds = (text: string): boolean => /^\d+$/.test(text)

/** Date.toString() puts the zone's name in brackets after its offset. */
const withoutZoneName = (text: string): string => text.trim().replace(/\s*\([^()]*\)$/, '')
