/** How many messages a person gets per channel and local day. */
import { createPlaceTaker } from '../../people/daily-caps/places.ts'
import { dailyCap, zoneOf } from '../../people/preferences/choices.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { localDay } from '../../platform/time/local-time.ts'
import type { Gate, Question } from './gate.ts'
import { askAgain, type Obstacle, skip } from './obstacle.ts'

/** None at all needs no counting. */
export const capOfZero: Gate = question => {
  if (capOf(question) !== 0) return undefined
  const day = uncountedDay(question)
  return day === undefined ? undefined : overCap(0, day)
}

/** The count is taken before the message is sent, so that all workers together keep to the cap. */
export function createDailyCap(db: Pool | Client, owner: string): Gate {
  const takePlace = createPlaceTaker(db, owner)
  return question => {
    const cap = capOf(question)
    const day = cap === undefined ? undefined : uncountedDay(question)
    if (cap === undefined || day === undefined) return undefined
    return takePlace(question.route, day, cap).then(
      isTaken => (isTaken ? { kind: 'pass', countedDay: day } : overCap(cap, day)),
      error => askAgain('cap_unknown', `The day’s count is not known: ${error}`),
    )
  }
}

/** Joining a digest takes nothing of the day: the digest itself does. */
function capOf({ route, nextDigest }: Question): number | undefined {
  return route.critical || nextDigest !== undefined ? undefined : dailyCap(route)?.value
}

/** The person's present day; undefined for a repeat of what that day counts already. */
function uncountedDay({ route, now }: Question): string | undefined {
  const day = localDay(zoneOf(route), now.getTime())
  return route.counted_on === day ? undefined : day
}

function overCap(cap: number, day: string): Obstacle {
  return skip('frequency_cap', `At most ${cap} a day on this channel, and ${day} has had them.`)
}
