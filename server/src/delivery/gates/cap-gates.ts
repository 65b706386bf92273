/** How many messages a person gets per channel and hour, day or week of their own calendar. */
import type { Cap } from '@carillon/contract'
import { isDigest } from '../../content/messages/message-route.ts'
import {
  type CappedPeriod,
  createCappedSendCounter,
  isWholeDay,
} from '../../people/caps/count-capped-sends.ts'
import { createSendCounter } from '../../people/caps/count-sends.ts'
import { periodEnd, periodOf } from '../../people/preferences/cap-periods.ts'
import { dailyCap, furtherCaps, zoneOf } from '../../people/preferences/choices.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { localDay } from '../../platform/time/local-time.ts'
import type { Digests } from '../digests/digests.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Answer, Gate, Question } from './gate.ts'
import { needsOwnMail } from './next-digest.ts'
import { expire, type Obstacle, postpone, retrySoon, skip } from './obstacle.ts'

/** A cap of 0 needs no counting. */
export const capOfZero: Gate = question => {
  if (!isCapped(question) || dailyCap(question.route)?.value !== 0) return undefined
  const day = dayToCount(question)
  return day === undefined ? undefined : overDailyCap(0, day)
}

/** Messages are counted before they are sent, so that caps hold for all workers together. */
export function createCaps(db: Pool | Client, owner: string, digests: Digests): Gate {
  const countSend = createSendCounter(db, owner)
  const countCapped = createCappedSendCounter(db, owner)

  async function count(question: Question, caps: Cap[]): Promise<Answer> {
    const { route } = question
    const periods = periodsToCount(question, caps)
    const refused = periods.length === 0 ? [] : (await countCapped(route, periods)).map(n => periods[n]!)
    if (refused.length > 0) return overCaps(question, refused, digests)
    const others = periods.filter(period => !isWholeDay(period))
    return {
      kind: 'pass',
      countedDay: periods.find(isWholeDay)?.period ?? null,
      // What an attempt that died has counted is returned together with it.
      countedIn: [
        ...(route.counted_in ?? []),
        ...others.map(({ per, category, period }) => ({ per, category, period })),
      ],
    }
  }

  return question => {
    if (!isCapped(question)) return undefined
    const cap = dailyCap(question.route)?.value
    const caps = capsOf(question.route)
    if (caps.length > 0) return count(question, caps).catch(capUnknown)
    const day = cap === undefined ? undefined : dayToCount(question)
    if (cap === undefined || day === undefined) return undefined
    return countSend(question.route, day, cap).then(
      isTaken => (isTaken ? { kind: 'pass', countedDay: day } : overDailyCap(cap, day)),
      capUnknown,
    )
  }
}

/** Joining a digest does not count; the digest itself does. What has to be sent counts as little as it is held back. */
function isCapped({ route, nextDigest }: Question): boolean {
  return !route.critical && !route.required && nextDigest === undefined
}

/** Those that apply to the route's category, besides the daily one. */
function capsOf(route: ClaimedRoute): Cap[] {
  const caps = furtherCaps(route)?.value ?? []
  return caps.filter(({ category }) => category === undefined || category === route.category)
}

type Period = CappedPeriod & Pick<Cap, 'over'>

/** Each period once, under its lowest cap; without those that count the route already. */
function periodsToCount({ route, now }: Question, caps: Cap[]): Period[] {
  const zone = zoneOf(route)
  const daily = dailyCap(route)?.value
  const all: Cap[] = daily === undefined ? caps : [...caps, { per: 'day', max: daily, over: 'skip' }]
  const periods = new Map<string, Period>()
  for (const cap of all.sort((a, b) => b.max - a.max)) {
    const period = { ...periodOf(cap, zone, now.getTime()), max: cap.max, over: cap.over }
    periods.set(`${period.per} ${period.category}`, period)
  }
  return [...periods.values()].filter(period => !isCounted(route, period))
}

function isCounted({ counted_on, counted_in }: ClaimedRoute, period: CappedPeriod): boolean {
  if (isWholeDay(period)) return counted_on === period.period
  return (counted_in ?? []).some(
    ({ per, category, period: counted }) =>
      per === period.per && category === period.category && counted === period.period,
  )
}

/** Unless one of the caps says to skip it, it is sent with others when all periods that are used up have ended. */
async function overCaps(
  { route, now, simulatedAt }: Question,
  refused: Period[],
  digests: Digests,
): Promise<Answer> {
  const skipping = refused.find(({ over }) => over === 'skip')
  if (skipping !== undefined) return skip('frequency_cap', `${describe(skipping)}, and that is used up.`)
  const ends = new Date(Math.max(...refused.map(({ per }) => periodEnd(per, zoneOf(route), now.getTime()))))
  const delayMs = ends.getTime() - now.getTime()
  const text = describe(refused[0]!)
  if (route.ms_to_deadline !== null && delayMs >= route.ms_to_deadline)
    return expire(`${text}, next from ${ends.toISOString()} on, which is after expires_at.`)
  const wait = () => postpone('cap_reached', `${text}; it waits until ${ends.toISOString()}.`, delayMs)
  // A digest joins no other, and neither does the message that opened one, nor what a digest would lack.
  if (isDigest(route) || route.digest_id !== null || needsOwnMail(route)) return wait()
  const joined = await digests.join(route, {
    key: '',
    closes: { at: ends },
    firstAtOnce: false,
    at: simulatedAt,
  })
  if (joined.kind === 'lost') return retrySoon('database', 'Another worker has taken the route over.')
  if (joined.kind === 'first') return wait()
  // One that an earlier period had no room for waits for the same time.
  const goesOut = new Date(Math.max(ends.getTime(), joined.closesAt?.getTime() ?? 0)).toISOString()
  return skip(
    'digested',
    `${text}. It is part of the digest ${joined.digestId}, which goes out at ${goesOut}.`,
  )
}

const UNITS = { hour: 'an hour', day: 'a day', week: 'a week' }

function describe({ per, max, category }: Period): string {
  const what = category === '' ? '' : ` in the category "${category}"`
  return `At most ${max} ${UNITS[per]} on this channel${what}`
}

/** The person's local day; undefined if that day counts this route already. */
function dayToCount({ route, now }: Question): string | undefined {
  const day = localDay(zoneOf(route), now.getTime())
  return route.counted_on === day ? undefined : day
}

function overDailyCap(cap: number, day: string): Obstacle {
  return skip('frequency_cap', `At most ${cap} a day on this channel, and the cap of ${day} is used up.`)
}

function capUnknown(error: Error): Obstacle {
  return retrySoon('cap_unknown', `The number of messages sent so far could not be read: ${error}`, error)
}
