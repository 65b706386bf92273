/**
 * What stands before every send, in order. Each gate is a pure function of what was loaded with the claim and says
 * pass, skip, postpone or finish. Later gates (subscriptions, preferences, quiet hours, caps) join this list.
 */
import type { ClaimedRoute } from './claim.ts'

export type Verdict =
  | { kind: 'pass' }
  | { kind: 'skip'; reason: string; text: string }
  | { kind: 'postpone'; reason: string; text: string; delay_ms: number }
  | { kind: 'finish'; status: 'cancelled' | 'expired'; reason: string; text: string }

type Gate = (route: ClaimedRoute) => Verdict

const PASS: Verdict = { kind: 'pass' }

const cancelled: Gate = route =>
  route.is_cancelled
    ? { kind: 'finish', status: 'cancelled', reason: 'cancelled', text: 'The notification was cancelled.' }
    : PASS

const expired: Gate = route =>
  route.ms_to_deadline !== null && route.ms_to_deadline <= 0
    ? {
        kind: 'finish',
        status: 'expired',
        reason: 'deadline',
        text: 'expires_at passed before it could be sent.',
      }
    : PASS

const suppressed: Gate = route =>
  route.suppression === null
    ? PASS
    : {
        kind: 'skip',
        reason: 'suppressed',
        text: `The address gets nothing more on this channel (${route.suppression.replace('_', ' ')}).`,
      }

const alreadyRead: Gate = route =>
  route.was_read
    ? { kind: 'skip', reason: 'read', text: 'It was read in the inbox, so nothing more is needed.' }
    : PASS

const GATES: Gate[] = [cancelled, expired, suppressed, alreadyRead]

/** The first gate that does not let it pass decides. */
export function passGates(route: ClaimedRoute): Verdict {
  for (const gate of GATES) {
    const verdict = gate(route)
    if (verdict.kind !== 'pass') return verdict
  }
  return PASS
}
