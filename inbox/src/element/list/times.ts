/** Times as people read them: how long ago in a row, and exactly on request. */

export interface Times {
  /** `now`, `5m ago`, `3h ago`, `2d ago`; after a week the date. */
  ago(moment: number, now: number): string
  /** With the day, the year and the zone. */
  exactly(moment: number): string
  /** A day as `2026-03-01`: today, yesterday, or its date. */
  day(day: string, today: string): string
  /** When a snooze is over: the time, and the day unless it is today’s. */
  soon(moment: number, now: number): string
}

const MINUTE_MS = 60_000
const UNITS = [
  ['minute', MINUTE_MS, 60],
  ['hour', 60 * MINUTE_MS, 24],
  ['day', 1440 * MINUTE_MS, 7],
] as const

/** Makes formats once, as making them takes longer than using them. */
export function createTimes(locale: string, timeZone: string): Times {
  const format = (options: Intl.DateTimeFormatOptions, zone = timeZone) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'narrow' })
  const [dayAndMonth, wholeDate] = [
    format({ day: 'numeric', month: 'short' }),
    format({ dateStyle: 'medium' }),
  ]
  const exact = format({ dateStyle: 'full', timeStyle: 'long' })
  const [clock, weekdayAndClock] = [
    format({ timeStyle: 'short' }),
    format({ weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }),
  ]
  const dayInWords = format({ weekday: 'long', day: 'numeric', month: 'long' }, 'UTC')
  const dayOfAnotherYear = format({ dateStyle: 'long' }, 'UTC')
  const daysAgo = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

  return {
    ago(moment, now) {
      const age = Math.max(now - moment, 0)
      if (age < MINUTE_MS) return relative.format(0, 'second')
      for (const [unit, unitMs, limit] of UNITS)
        if (age < unitMs * limit) return relative.format(-Math.floor(age / unitMs), unit)
      const isThisYear = new Date(moment).getUTCFullYear() === new Date(now).getUTCFullYear()
      return (isThisYear ? dayAndMonth : wholeDate).format(moment)
    },
    exactly: moment => exact.format(moment),
    day(day, today) {
      const age = Math.round((Date.parse(today) - Date.parse(day)) / UNITS[2][1])
      if (age === 0 || age === 1) return capitalised(daysAgo.format(-age, 'day'), locale)
      const isThisYear = day.slice(0, 4) === today.slice(0, 4)
      return (isThisYear ? dayInWords : dayOfAnotherYear).format(Date.parse(day))
    },
    soon(moment, now) {
      const isToday = wholeDate.format(moment) === wholeDate.format(now)
      return (isToday ? clock : weekdayAndClock).format(moment)
    },
  }
}

/** What stands alone begins with a capital where there are any. */
function capitalised(text: string, locale: string): string {
  return text.replace(/^\p{Ll}/u, letter => letter.toLocaleUpperCase(locale))
}
