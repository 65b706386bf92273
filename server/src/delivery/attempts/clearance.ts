/**
 * All gates together: the pure ones, what throttle and digest say, then a place under the daily cap. What a digest gathers
 * takes no place: the digest itself does. Delivery and simulation both ask here.
 */
import type { TakePlace } from '../../people/daily-caps/places.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { type Hindrance, isHindrance, overCap, passGates } from './gates.ts'
import type { Hold } from './hold.ts'

export type Clearance =
  | { kind: 'held'; hindrance: Hindrance }
  /** `placeOf`: the day of which a place was taken; null without a cap. The payload is a digest's, where it is one. */
  | { kind: 'cleared'; placeOf: string | null; payload_json: string }

export interface ClearanceParts {
  takePlace: TakePlace
  /** Throttle and digest, where the type or the person asks for them. */
  hold: Hold
}

export async function clearRoute(
  route: ClaimedRoute,
  now: Date,
  { takePlace, hold }: ClearanceParts,
): Promise<Clearance> {
  const verdict = passGates(route, now)
  if (isHindrance(verdict)) return { kind: 'held', hindrance: verdict }
  const held = await hold(route, verdict.kind === 'gather' ? verdict : undefined)
  if (held.kind !== 'pass') return { kind: 'held', hindrance: held }
  const { payload_json } = held
  if (verdict.kind !== 'place') return { kind: 'cleared', placeOf: null, payload_json }
  const { day, cap } = verdict
  try {
    if (await takePlace(route, day, cap)) return { kind: 'cleared', placeOf: day, payload_json }
    return { kind: 'held', hindrance: overCap(cap, day) }
  } catch (error) {
    return { kind: 'held', hindrance: askAgain('cap_unknown', `The day’s count is not known: ${error}`) }
  }
}

/** Nobody was asked to send, so no attempt is used: the database that has to be asked first did not answer. */
export function askAgain(reason: string, text: string): Hindrance {
  return { kind: 'postpone', reason, text, delay_ms: 1000 }
}
