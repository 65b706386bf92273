/**
 * What only some types and people ask for, between the gates and the message: a throttle, then a digest. A digest's own
 * route is asked for neither; it ends its window and says what it gathered.
 */
import { createHash } from 'node:crypto'
import { isDigest } from '../../content/messages/message-route.ts'
import { wantsEach } from '../../people/preferences/choices.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createDigests } from '../digests/digests.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { createThrottle } from '../throttles/throttles.ts'
import type { Gathering, Hindrance } from './gates.ts'

/** Either it is held back, or it goes on with this payload. */
export type Held = Hindrance | { kind: 'pass'; payload_json: string }

export type Hold = (route: ClaimedRoute, gathering?: Gathering) => Promise<Held>

export function createHold(pool: Pool | Client, owner: string): Hold {
  const throttle = createThrottle(pool)
  const digests = createDigests(pool, owner)

  async function close(route: ClaimedRoute): Promise<Held> {
    const closed = await digests.close(route)
    return closed.kind === 'message'
      ? { kind: 'pass', payload_json: closed.payloadJson }
      : skip('digest_empty', 'Nothing is left to tell in this digest.')
  }

  async function join(route: ClaimedRoute, gathering: Gathering | undefined): Promise<Held> {
    const joined = await digests.join(route, {
      key: keyOf(route, route.digest?.key ?? ''),
      // The type may have lost its digest after the route had joined one.
      closes: gathering === undefined ? { inSeconds: route.digest?.window ?? 0 } : { at: gathering.until },
      firstAtOnce: gathering === undefined && (route.digest?.first_at_once ?? false),
    })
    if (joined.kind === 'first') return pass(route)
    // The one that took it over decides; this worker's completion will be refused.
    if (joined.kind === 'lost') return postpone('Another worker has taken the route over.')
    const goesOut = joined.closesAt === null ? '' : `, which goes out at ${joined.closesAt.toISOString()}`
    const chosen = gathering === undefined ? '' : `${gathering.text}. `
    return skip('digested', `${chosen}It is part of the digest ${joined.digestId}${goesOut}.`)
  }

  async function isThrottled(route: ClaimedRoute): Promise<boolean> {
    // What has joined a digest was let through before.
    if (route.throttle === null || route.digest_id !== null) return false
    return !(await throttle.admits(route, route.throttle, keyOf(route, route.throttle.key)))
  }

  return async (route, gathering) => {
    const isGathered = gathering !== undefined || route.digest_id !== null || gathersByType(route)
    if (route.throttle === null && !isGathered) return pass(route)
    try {
      if (isDigest(route)) return await close(route)
      if (await isThrottled(route)) return skip('throttled', throttledText(route))
      return isGathered ? await join(route, gathering) : pass(route)
    } catch (error) {
      return postpone(`Whether it may go out is not known: ${(error as Error).message}`)
    }
  }
}

/** A type may gather, unless the person wants each message. Critical ones follow their type alone. */
function gathersByType(route: ClaimedRoute): boolean {
  return route.digest !== null && (route.critical || !wantsEach(route))
}

/** Longer values would not fit an index; their hash tells them apart as well. */
const LONGEST_KEY = 100

function keyOf(route: ClaimedRoute, field: string): string {
  if (field === '') return ''
  const payload = JSON.parse(route.payload_json) as Record<string, unknown>
  const value = Object.hasOwn(payload, field) ? payload[field] : ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return Buffer.byteLength(text) <= LONGEST_KEY ? text : createHash('sha256').update(text).digest('hex')
}

function throttledText({ throttle, notification_type }: ClaimedRoute): string {
  const alike = throttle!.key === '' ? '' : ` with the same "${throttle!.key}"`
  return `The person got ${throttle!.max} of "${notification_type}"${alike} within ${throttle!.per} seconds.`
}

function pass({ payload_json }: ClaimedRoute): Held {
  return { kind: 'pass', payload_json }
}

function skip(reason: string, text: string): Held {
  return { kind: 'skip', reason, text }
}

function postpone(text: string): Held {
  return { kind: 'postpone', reason: 'database', text, delay_ms: 1000 }
}
