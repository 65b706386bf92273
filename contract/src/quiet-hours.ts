/** Quiet hours: windows of the week in which messages wait. */
import { z } from 'zod'

export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const
export const Weekday = z.enum(WEEKDAYS)
export type Weekday = z.infer<typeof Weekday>

export const LocalTime = z
  .string()
  .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]$/, 'Expected a local time such as 22:00.')
  .describe('Local time, 00:00 to 23:59')

const LocalEnd = z
  .string()
  .regex(/^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$/, 'Expected a local time such as 08:00, or 24:00.')
  .describe('Local time, 00:00 to 24:00')

export const QuietWindow = z
  .strictObject({
    start: LocalTime,
    end: LocalEnd,
    days: z
      .array(Weekday)
      .min(1)
      .max(WEEKDAYS.length)
      .refine(days => new Set(days).size === days.length, 'A day is listed twice.')
      .optional()
      .describe('The days on which it starts; every day unless given'),
  })
  .describe('From start to before end, into the next day if start is later; start = end means none')
export type QuietWindow = z.infer<typeof QuietWindow>

const MAX_WINDOWS = 20

/** One window, or several, which may overlap. */
export const QuietHours = z
  .union([QuietWindow, z.array(QuietWindow).max(MAX_WINDOWS)])
  .refine(
    hours => !coverTheWeek(Array.isArray(hours) ? hours : [hours]),
    'They leave no time of the week; switch the channel off instead.',
  )
export type QuietHours = z.infer<typeof QuietHours>

const DAY_MINUTES = 24 * 60

function coverTheWeek(windows: QuietWindow[]): boolean {
  const isFree = new Array<boolean>(WEEKDAYS.length * DAY_MINUTES).fill(true)
  for (const { start, end, days = WEEKDAYS } of windows) {
    const [from, to] = [minuteOf(start), minuteOf(end)]
    for (const day of days) {
      const begins = WEEKDAYS.indexOf(day) * DAY_MINUTES + from
      for (let i = 0; i < (from <= to ? to - from : to - from + DAY_MINUTES); i++)
        isFree[(begins + i) % isFree.length] = false
    }
  }
  return !isFree.includes(true)
}

function minuteOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}
