/** IANA time zones, as the runtime knows them. */
import { z } from 'zod'

export const TimeZone = z
  .string()
  .max(50)
  .refine(isTimeZone, 'Expected an IANA time zone such as Europe/Berlin.')

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
