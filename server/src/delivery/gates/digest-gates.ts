/** The gate at which routes join a digest, and the one that closes a digest before it is sent. */
import { isDigest, timeOfId } from '../../content/messages/message-route.ts'
import { digestSchedule, furtherCaps, wantsEachMessage, zoneOf } from '../../people/preferences/choices.ts'
import { nextDigestAt } from '../../people/preferences/digest-times.ts'
import type { Digests } from '../digests/digests.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Answer, Gate, Question } from './gate.ts'
import { groupKey } from './group-key.ts'
import { needsOwnMail } from './next-digest.ts'
import { expire, postpone, postponeOnError, retrySoon, skip } from './obstacle.ts'

export function createDigestGates(digests: Digests): { joinDigest: Gate; closeDigest: Gate } {
  async function join({ route, now, nextDigest, simulatedAt }: Question): Promise<Answer> {
    const joined = await digests.join(route, {
      key: groupKey(route, route.digest?.key ?? ''),
      // The type may have lost its digest setting since the route joined one.
      closes: nextDigest === undefined ? { inSeconds: route.digest?.window ?? 0 } : { at: nextDigest.at },
      firstAtOnce: nextDigest === undefined && (route.digest?.first_at_once ?? false),
      at: simulatedAt,
    })
    if (joined.kind === 'first') return undefined
    // The other worker decides; this one's completion will be refused.
    if (joined.kind === 'lost') return retrySoon('database', 'Another worker has taken the route over.')
    const goesOut = joined.closesAt === null ? '' : `, which goes out at ${joined.closesAt.toISOString()}`
    if (isAfterDeadline(joined.closesAt, route, now))
      return expire(`It would be part of a digest${goesOut}, which is after expires_at.`)
    const chosen = nextDigest === undefined ? '' : `${nextDigest.text}. `
    return skip('digested', `${chosen}It is part of the digest ${joined.digestId}${goesOut}.`)
  }

  async function close(route: ClaimedRoute): Promise<Answer> {
    const closed = await digests.close(route)
    return closed.kind === 'message'
      ? { kind: 'pass', payload_json: closed.payloadJson }
      : skip('digest_empty', 'Nothing is left to send in this digest.')
  }

  return {
    joinDigest: question => (mustJoin(question) ? join(question).catch(postponeOnError) : undefined),
    /** From now on the digest takes no more items, and a repeat sends the same. */
    closeDigest: ({ route }) => (isDigest(route) ? close(route).catch(postponeOnError) : undefined),
  }
}

/**
 * A digest that is asked before its time was woken because the person changed something: it goes out when it would have if
 * they had chosen so from the start, and that may be now. Never later than announced.
 */
export const digestNotYet: Gate = ({ route, now }) => {
  const { digest_closes_at } = route
  if (digest_closes_at === null || digest_closes_at <= now) return undefined
  const ends = Math.min(digest_closes_at.getTime(), endByChoice(route, now))
  if (ends <= now.getTime()) return undefined
  const text = `The digest goes out at ${new Date(ends).toISOString()}.`
  return postpone('digest', text, ends - now.getTime())
}

/** When a digest that was opened at this one's time ends by what the person wants now. */
function endByChoice(route: ClaimedRoute, now: Date): number {
  const ageMs = route.claimed_at.getTime() - timeOfId(route.notification_id)
  const openedAt = now.getTime() - ageMs
  const schedule = digestSchedule(route)
  const next = schedule === undefined ? undefined : nextDigestAt(schedule.value, zoneOf(route), openedAt)
  if (next !== undefined) return next
  if (typeHasDigest(route)) return openedAt + route.digest!.window * 1000
  return gathersOverCap(route) ? Number.POSITIVE_INFINITY : openedAt
}

/** What is over a cap waits in digests too, until the time that was said when they were opened. */
function gathersOverCap(route: ClaimedRoute): boolean {
  return furtherCaps(route)?.value.some(({ over }) => over === 'digest') ?? false
}

/** By the person's own schedule, because it has joined before, or because of its type. A digest itself never joins one. */
function mustJoin({ route, nextDigest }: Question): boolean {
  if (isDigest(route) || (route.digest_id === null && needsOwnMail(route))) return false
  return nextDigest !== undefined || route.digest_id !== null || typeHasDigest(route)
}

function isAfterDeadline(closesAt: Date | null, { ms_to_deadline }: ClaimedRoute, now: Date): boolean {
  return closesAt !== null && ms_to_deadline !== null && closesAt.getTime() - now.getTime() >= ms_to_deadline
}

/** The type's digest applies unless the person wants each message. For critical types only the type decides. */
function typeHasDigest(route: ClaimedRoute): boolean {
  return route.digest !== null && (route.critical || !wantsEachMessage(route))
}
