/**
 * What stands between a claimed route and its message. Delivery and simulation both ask here. The reasons that the gates
 * give stand in the same order in the contract and in docs/reference/reasons.md.
 */
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { capOfZero, createDailyCap } from './cap-gates.ts'
import { createDigestGates } from './digest-gates.ts'
import type { Gate, Passed, Question } from './gate.ts'
import { nextDigestOf } from './next-digest.ts'
import type { Obstacle } from './obstacle.ts'
import { categoryOff, channelOff, digestTooLate, reasonOff, withinQuietHours } from './preference-gates.ts'
import { alreadyRead, cancelled, expired, recipientGone, suppressed } from './route-gates.ts'
import { createThrottleGate } from './throttle-gate.ts'

/** From top to bottom: this is what happens. The first gate with an obstacle decides. */
export function createGates(db: Pool | Client, owner: string): Gate[] {
  const { joinDigest, closeDigest } = createDigestGates(db, owner)
  return [
    cancelled,
    expired,
    recipientGone,
    suppressed,
    alreadyRead,
    reasonOff,
    categoryOff,
    channelOff,
    digestTooLate,
    withinQuietHours,
    capOfZero,
    // From here on something is counted or written down, so all that can be known without it comes before.
    createThrottleGate(db),
    joinDigest,
    closeDigest,
    // An empty digest takes none of the day's sends.
    createDailyCap(db, owner),
  ]
}

export async function passGates(gates: Gate[], route: ClaimedRoute, now: Date): Promise<Obstacle | Passed> {
  const question: Question = { route, now, nextDigest: nextDigestOf(route, now) }
  const passed: Passed = { kind: 'pass', payload_json: route.payload_json, countedDay: null }
  for (const gate of gates) {
    const given = gate(question)
    // Most answer at once: waiting for each of those as well would cost every route a dozen turns.
    const answer = given instanceof Promise ? await given : given
    if (answer === undefined) continue
    if (answer.kind !== 'pass') return answer
    Object.assign(passed, answer)
  }
  return passed
}
