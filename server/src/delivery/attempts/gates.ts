/**
 * What stands before every send, in order. Each gate is a pure function of what was loaded with the claim and of the
 * time, and says pass, skip, postpone, gather or finish. The daily cap cannot know alone how many others are being sent right
 * now: it says which place has to be taken first.
 */
import {
  categoryWanted,
  channelWanted,
  type Decided,
  dailyCap,
  digestSchedule,
  quietHours,
  reasonWanted,
  zoneOf,
} from '../../people/preferences/choices.ts'
import { describeSchedule, nextDigestAt } from '../../people/preferences/digest-times.ts'
import { localDay, quietUntil } from '../../platform/time/local-time.ts'
import type { ClaimedRoute } from '../routes/claim.ts'

export type Verdict =
  | { kind: 'pass' }
  /** Pass, if one of the day's places is still free. */
  | { kind: 'place'; day: string; cap: number }
  /** Not by itself: with everything that comes until then. */
  | { kind: 'gather'; until: Date; text: string }
  | { kind: 'skip'; reason: string; text: string }
  | { kind: 'postpone'; reason: string; text: string; delay_ms: number }
  | { kind: 'finish'; status: 'cancelled' | 'expired'; reason: string; text: string }

/** What keeps a message from being sent now. */
export type Hindrance = Exclude<Verdict, { kind: 'pass' | 'place' | 'gather' }>

/** When the person wants what came in the meantime as one. */
export type Gathering = Extract<Verdict, { kind: 'gather' }>

export function isHindrance(verdict: Verdict): verdict is Hindrance {
  return !['pass', 'place', 'gather'].includes(verdict.kind)
}

type Gate = (route: ClaimedRoute, now: Date) => Verdict

const PASS: Verdict = { kind: 'pass' }

const cancelled: Gate = route =>
  route.is_cancelled
    ? { kind: 'finish', status: 'cancelled', reason: 'cancelled', text: 'The notification was cancelled.' }
    : PASS

const expired: Gate = route =>
  route.ms_to_deadline !== null && route.ms_to_deadline <= 0
    ? expire('expires_at passed before it could be sent.')
    : PASS

const recipientGone: Gate = route =>
  route.user_id !== null && route.user_timezone === null
    ? skip('recipient_gone', 'The user does not exist any more.')
    : PASS

const suppressed: Gate = route =>
  route.suppression === null
    ? PASS
    : skip(
        'suppressed',
        `The address gets nothing more on this channel (${route.suppression.replace('_', ' ')}).`,
      )

const alreadyRead: Gate = route =>
  route.was_read ? skip('read', 'It was read in the inbox, so nothing more is needed.') : PASS

const reasonOff: Gate = route =>
  offBy(reasonWanted(route), 'reason_off', `for the reason "${route.intent_reason}"`)

const categoryOff: Gate = route =>
  offBy(categoryWanted(route), 'category_off', `for the category "${route.category}"`)

const channelOff: Gate = route => offBy(channelWanted(route), 'channel_disabled', 'altogether')

/**
 * Joining a digest makes no sound and takes no place: quiet hours and caps are for the digest itself. What is part of
 * one already, or is one, is not asked again.
 */
const gathered: Gate = (route, now) => {
  const schedule = route.critical || route.digest_id !== null ? undefined : digestSchedule(route)
  if (schedule === undefined) return PASS
  const until = nextDigestAt(schedule.value, zoneOf(route), now.getTime())
  if (until === undefined) return PASS
  const text = `Gathered ${describeSchedule(schedule.value)}${whose(schedule)}`
  const isTooLate = route.ms_to_deadline !== null && until - now.getTime() >= route.ms_to_deadline
  return isTooLate
    ? expire(`${text}, next at ${new Date(until).toISOString()}, which is after expires_at.`)
    : { kind: 'gather', until: new Date(until), text }
}

const quiet: Gate = (route, now) => {
  const hours = route.critical ? undefined : quietHours(route)
  if (hours === undefined) return PASS
  const until = quietUntil(hours.value, zoneOf(route), now.getTime())
  if (until === undefined) return PASS
  const delay_ms = until - now.getTime()
  const text = `Quiet hours in ${zoneOf(route)} until ${new Date(until).toISOString()}`
  // Waiting in vain helps nobody: the deadline is known now.
  if (route.ms_to_deadline !== null && delay_ms >= route.ms_to_deadline)
    return expire(`${text}, which is after expires_at.`)
  return { kind: 'postpone', reason: 'quiet_hours', text: `${text}${whose(hours)}.`, delay_ms }
}

const capped: Gate = (route, now) => {
  const cap = route.critical ? undefined : dailyCap(route)
  if (cap === undefined) return PASS
  const day = localDay(zoneOf(route), now.getTime())
  // A repeat of what this day counts already.
  if (route.counted_on === day) return PASS
  return cap.value === 0 ? overCap(0, day) : { kind: 'place', day, cap: cap.value }
}

const GATES: Gate[] = [
  cancelled,
  expired,
  recipientGone,
  suppressed,
  alreadyRead,
  reasonOff,
  categoryOff,
  channelOff,
  gathered,
  quiet,
  capped,
]

/** The first gate that does not let it pass decides. */
export function passGates(route: ClaimedRoute, now: Date): Verdict {
  for (const gate of GATES) {
    const verdict = gate(route, now)
    if (verdict.kind !== 'pass') return verdict
  }
  return PASS
}

export function overCap(cap: number, day: string): Hindrance {
  return skip('frequency_cap', `At most ${cap} a day on this channel, and ${day} has had them.`)
}

function offBy(wanted: Decided<boolean> | undefined, reason: string, what: string): Verdict {
  if (wanted === undefined || wanted.value) return PASS
  const who = wanted.by === 'person' ? 'The person' : 'The default for people who have not chosen'
  return skip(reason, `${who} switched this channel off ${what}.`)
}

function whose({ by }: Decided<unknown>): string {
  return by === 'person' ? '' : ' by default'
}

function skip(reason: string, text: string): Hindrance {
  return { kind: 'skip', reason, text }
}

function expire(text: string): Hindrance {
  return { kind: 'finish', status: 'expired', reason: 'deadline', text }
}
