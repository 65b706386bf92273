/** A person may want a category as a digest every hour, day or week instead of message by message. */
import { byDefault, digestSchedule, zoneOf } from '../../people/preferences/choices.ts'
import { describeSchedule, nextDigestAt } from '../../people/preferences/digest-times.ts'
import type { ClaimedRoute } from '../routes/claim.ts'

export interface NextDigest {
  at: Date
  /** For instance: Gathered daily at 08:00 by default */
  text: string
}

/** undefined for routes that are part of a digest already, are one, or cannot join one. */
export function nextDigestOf(route: ClaimedRoute, now: Date): NextDigest | undefined {
  if (route.critical || route.digest_id !== null || needsOwnMail(route)) return undefined
  const schedule = digestSchedule(route)
  if (schedule === undefined) return undefined
  const at = nextDigestAt(schedule.value, zoneOf(route), now.getTime())
  if (at === undefined) return undefined
  return { at: new Date(at), text: `Gathered ${describeSchedule(schedule.value)}${byDefault(schedule)}` }
}

/** A digest has neither attachments nor copies: what would be lost in it is sent by itself. */
export function needsOwnMail({ options }: ClaimedRoute): boolean {
  return options?.attachments !== undefined || options?.cc !== undefined || options?.bcc !== undefined
}
