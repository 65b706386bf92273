/** When a snoozed row comes back, on the clock of the person. */
import { momentOf, wallTimeAt } from './zoned-time.ts'

export type SnoozeName = 'laterToday' | 'tomorrow' | 'nextWeek'

export interface SnoozeTime {
  name: SnoozeName
  until: Date
}

const MORNING = 9
/** The evening, or late in it; what is less than an hour away is not later. */
const LATER_TODAY = [18, 21]
const HOUR_MS = 3_600_000

/** The first is left out when the day is nearly over. */
export function snoozeTimes(now: number, zone: string): SnoozeTime[] {
  const today = wallTimeAt(now, zone)
  const at = (daysAhead: number, hour: number): number =>
    momentOf({ ...today, day: today.day + daysAhead, hour, minute: 0 }, zone)
  const later = LATER_TODAY.map(hour => at(0, hour)).find(moment => moment - now >= HOUR_MS)
  return [
    ...(later === undefined ? [] : [{ name: 'laterToday' as const, until: new Date(later) }]),
    { name: 'tomorrow', until: new Date(at(1, MORNING)) },
    { name: 'nextWeek', until: new Date(at(daysToMonday(today), MORNING)) },
  ]
}

/** One to seven. */
function daysToMonday({ year, month, day }: { year: number; month: number; day: number }): number {
  return (8 - new Date(Date.UTC(year, month - 1, day)).getUTCDay()) % 7 || 7
}
