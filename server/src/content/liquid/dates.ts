/**
 * The date filters of templates. What names a moment is shown as the reader's clock and language would; a day or a time
 * without a zone is shown as it was written, since no reader's clock could say it better.
 */
import { type Context, type FilterImplOptions, filters } from 'liquidjs'

/** The reader's. */
export interface Calendar {
  /** One that Intl knows. */
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

/** Of a date, and of each name of a month or day in it: those are slow to come by. */
const DATE_COST = 250
const NAMES = /%[-_0^#]*[aAbBh]/g
const MINUTE = 60_000

/** `calendarOf` finds the reader of a render. */
export function createDateFilters(
  calendarOf: (context: Context) => Calendar,
): Record<string, FilterImplOptions> {
  return Object.fromEntries(DATE_FILTERS.map(name => [name, inCalendar(filters[name] as Filter)]))

  function inCalendar(filter: Filter): Filter {
    return function (value, ...given) {
      const names = String(given[0]).match(NAMES)?.length ?? 0
      this.context.memoryLimit.use(DATE_COST * (1 + names))
      const date = withZone(value)
      if (date === undefined) return value
      const { locale, offsetAt } = calendarOf(this.context)
      const at = momentOf(value)
      // The library counts westwards.
      const timezoneOffset = at === undefined ? 0 : -offsetAt(at) / MINUTE
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

/** Those that JavaScript knows by name. */
const NAMED_ZONE = /(?:z|utc?|gmt|[ecmp][sd]t)$/i
const TIME_WITH_ZONE = /:\d{2}.*(?:z|utc?|gmt|[ecmp][sd]t|[+-]\d{2}(?::?\d{2})?)$/i
const TIME_IN_ISO = /^\d{4}-\d{2}-\d{2}T[\d:.]+$/
/** No date is longer, and a text without end would keep the patterns busy. */
const LONGEST = 100

/** In milliseconds; undefined for what is no moment, or no date at all. */
function momentOf(value: unknown): number | undefined {
  const at = new Date(readMoment(value)).getTime()
  return Number.isNaN(at) ? undefined : at
}

function readMoment(value: unknown): number {
  if (typeof value === 'number') return value * 1000
  if (typeof value !== 'string') return Number.NaN
  if (isNow(value)) return Date.now()
  if (isSeconds(value)) return Number(value) * 1000
  return TIME_WITH_ZONE.test(withoutRemark(value)) ? Date.parse(value) : Number.NaN
}

/** What names no zone would be read by the clock of the server. undefined: a text that is no date. */
function withZone(value: unknown): unknown {
  if (typeof value !== 'string' || isNow(value) || isSeconds(value)) return value
  if (value.length > LONGEST) return undefined
  const text = withoutRemark(value)
  if (NAMED_ZONE.test(text) || TIME_WITH_ZONE.test(text)) return text
  const at = Date.parse(TIME_IN_ISO.test(text) ? `${text}Z` : `${text} UTC`)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

const isNow = (text: string): boolean => text === 'now' || text === 'today'
const isSeconds = (text: string): boolean => /^\d+$/.test(text)

/** Browsers put the zone's name in brackets behind its offset. */
const withoutRemark = (text: string): string => text.trim().replace(/\s*\([^()]*\)$/, '')
