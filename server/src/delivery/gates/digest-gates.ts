/** Joining what is to be told together, and closing a digest before it is sent. */
import { isDigest } from '../../content/messages/message-route.ts'
import { wantsEach } from '../../people/preferences/choices.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createDigests } from '../digests/digests.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import type { Answer, Gate, Question } from './gate.ts'
import { groupKey } from './group-key.ts'
import { askAgain, skip, unknownYet } from './obstacle.ts'

export function createDigestGates(db: Pool | Client, owner: string): { joinDigest: Gate; closeDigest: Gate } {
  const digests = createDigests(db, owner)

  async function join({ route, nextDigest }: Question): Promise<Answer> {
    const joined = await digests.join(route, {
      key: groupKey(route, route.digest?.key ?? ''),
      // The type may have lost its digest after the route had joined one.
      closes: nextDigest === undefined ? { inSeconds: route.digest?.window ?? 0 } : { at: nextDigest.at },
      firstAtOnce: nextDigest === undefined && (route.digest?.first_at_once ?? false),
    })
    if (joined.kind === 'first') return undefined
    // The one that took it over decides; this worker's completion will be refused.
    if (joined.kind === 'lost') return askAgain('database', 'Another worker has taken the route over.')
    const goesOut = joined.closesAt === null ? '' : `, which goes out at ${joined.closesAt.toISOString()}`
    const chosen = nextDigest === undefined ? '' : `${nextDigest.text}. `
    return skip('digested', `${chosen}It is part of the digest ${joined.digestId}${goesOut}.`)
  }

  async function close(route: ClaimedRoute): Promise<Answer> {
    const closed = await digests.close(route)
    return closed.kind === 'message'
      ? { kind: 'pass', payload_json: closed.payloadJson }
      : skip('digest_empty', 'Nothing is left to tell in this digest.')
  }

  return {
    joinDigest: question => (isGathered(question) ? join(question).catch(unknownYet) : undefined),
    /** From now on it takes nothing more, and a repeat says the same. */
    closeDigest: ({ route }) => (isDigest(route) ? close(route).catch(unknownYet) : undefined),
  }
}

/** By the person's own schedule, because it has joined before, or by its type. A digest itself joins none. */
function isGathered({ route, nextDigest }: Question): boolean {
  if (isDigest(route)) return false
  return nextDigest !== undefined || route.digest_id !== null || gathersByType(route)
}

/** A type may gather, unless the person wants each message. Critical ones follow their type alone. */
function gathersByType(route: ClaimedRoute): boolean {
  return route.digest !== null && (route.critical || !wantsEach(route))
}
