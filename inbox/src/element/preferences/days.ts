/** The days of the week as the API calls them, and as people do. */
import type { Weekday } from '@carillon/sdk/inbox'

export const DAYS: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
]
const A_MONDAY = Date.UTC(2026, 0, 5)
const DAY_MS = 86_400_000

export function dayName(locale: string, index: number, weekday: 'long' | 'short'): string {
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(A_MONDAY + index * DAY_MS)
}
