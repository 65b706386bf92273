/** A person may want a category as a digest every hour, day or week instead of message by message. */
import { byDefault, digestSchedule, zoneOf } from '../../people/preferences/choices.ts'
import { describeSchedule, nextDigestAt } from '../../people/preferences/digest-times.ts'
import type { ClaimedRoute } from '../routes/claim.ts'

export interface NextDigest {
  at: Date
  /** For instance: Gathered daily at 08:00 by default */
  text: string
}

/** undefined for routes that are part of a digest already, or are one. */
export function nextDigestOf(route: ClaimedRoute, now: Date): NextDigest | undefined {
  const schedule = route.critical || route.digest_id !== null ? undefined : digestSchedule(route)
  if (schedule === undefined) return undefined
  const at = nextDigestAt(schedule.value, zoneOf(route), now.getTime())
  if (at === undefined) return undefined
  return { at: new Date(at), text: `Gathered ${describeSchedule(schedule.value)}${byDefault(schedule)}` }
}
