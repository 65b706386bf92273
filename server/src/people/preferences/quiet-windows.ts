/**
 * Quiet hours as they are stored: one window every day as a start and an end, anything else as a list. Pure.
 */
import { type QuietHours, type QuietWindow, WEEKDAYS } from '@carillon/contract'
import { parseLocalTime, type QuietRange } from '../../platform/time/local-time.ts'

export interface StoredQuietHours {
  quiet_hours_start: string | null
  quiet_hours_end: string | null
  quiet_windows: QuietWindow[] | null
}

/** Start = end stands for no quiet hours, whatever the default. */
const NONE: QuietWindow = { start: '00:00', end: '00:00' }

/** null: no choice. */
export function quietWindows(stored: StoredQuietHours): QuietWindow[] | null {
  const { quiet_hours_start: start, quiet_hours_end: end, quiet_windows } = stored
  if (quiet_windows !== null) return quiet_windows
  if (start === null || end === null) return null
  return start === end ? [] : [{ start: start.slice(0, 5), end: end.slice(0, 5) }]
}

export function toStored(hours: QuietHours | null): StoredQuietHours {
  if (hours === null) return { quiet_hours_start: null, quiet_hours_end: null, quiet_windows: null }
  const windows = (Array.isArray(hours) ? hours : [hours]).filter(({ start, end }) => start !== end)
  const [daily = NONE, ...more] = windows
  return daily.days === undefined && more.length === 0
    ? { quiet_hours_start: daily.start, quiet_hours_end: daily.end, quiet_windows: null }
    : { quiet_hours_start: null, quiet_hours_end: null, quiet_windows: windows }
}

export function toRange({ start, end, days }: QuietWindow): QuietRange {
  const range = { start: parseLocalTime(start), end: parseLocalTime(end) }
  return days === undefined ? range : { ...range, days: WEEKDAYS.map(day => days.includes(day)) }
}
