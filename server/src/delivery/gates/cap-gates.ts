/** How many messages a person gets per channel and local day. */
import { createSendCounter } from '../../people/daily-caps/count-sends.ts'
import { dailyCap, zoneOf } from '../../people/preferences/choices.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { localDay } from '../../platform/time/local-time.ts'
import type { Gate, Question } from './gate.ts'
import { type Obstacle, retrySoon, skip } from './obstacle.ts'

/** A cap of 0 needs no counting. */
export const capOfZero: Gate = question => {
  if (capOf(question) !== 0) return undefined
  const day = dayToCount(question)
  return day === undefined ? undefined : overCap(0, day)
}

/** Messages are counted before they are sent, so that the cap holds for all workers together. */
export function createDailyCap(db: Pool | Client, owner: string): Gate {
  const countSend = createSendCounter(db, owner)
  return question => {
    const cap = capOf(question)
    const day = cap === undefined ? undefined : dayToCount(question)
    if (cap === undefined || day === undefined) return undefined
    return countSend(question.route, day, cap).then(
      isTaken => (isTaken ? { kind: 'pass', countedDay: day } : overCap(cap, day)),
      error => retrySoon('cap_unknown', `The number of messages sent today could not be read: ${error}`),
    )
  }
}

/** Joining a digest does not count; the digest itself does. */
function capOf({ route, nextDigest }: Question): number | undefined {
  return route.critical || nextDigest !== undefined ? undefined : dailyCap(route)?.value
}

/** The person's local day; undefined if that day counts this route already. */
function dayToCount({ route, now }: Question): string | undefined {
  const day = localDay(zoneOf(route), now.getTime())
  return route.counted_on === day ? undefined : day
}

function overCap(cap: number, day: string): Obstacle {
  return skip('frequency_cap', `At most ${cap} a day on this channel, and the cap of ${day} is used up.`)
}
