/** All gates together: the pure ones, then a place under the daily cap. Delivery and simulation both ask here. */
import type { ClaimedRoute } from './claim.ts'
import { type Hindrance, overCap, passGates } from './gates.ts'

/** Whether one of the places that a cap leaves on a day could be taken. */
export type TakePlace = (route: ClaimedRoute, day: string, cap: number) => Promise<boolean>

export type Clearance =
  | { kind: 'held'; hindrance: Hindrance }
  /** `placeOf`: the day of which a place was taken; null without a cap. */
  | { kind: 'cleared'; placeOf: string | null }

export async function clearRoute(route: ClaimedRoute, now: Date, takePlace: TakePlace): Promise<Clearance> {
  const verdict = passGates(route, now)
  if (verdict.kind === 'pass') return { kind: 'cleared', placeOf: null }
  if (verdict.kind !== 'place') return { kind: 'held', hindrance: verdict }
  const { day, cap } = verdict
  try {
    if (await takePlace(route, day, cap)) return { kind: 'cleared', placeOf: day }
    return { kind: 'held', hindrance: overCap(cap, day) }
  } catch (error) {
    return { kind: 'held', hindrance: askAgain('cap_unknown', `The day’s count is not known: ${error}`) }
  }
}

/** Nobody was asked to send, so no attempt is used: the database that has to be asked first did not answer. */
export function askAgain(reason: string, text: string): Hindrance {
  return { kind: 'postpone', reason, text, delay_ms: 1000 }
}
