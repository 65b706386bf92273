/**
 * The gates that every claimed route has to pass before its message is sent, in delivery and in simulation. Their reasons
 * are in the same order in the contract and in docs/reference/reasons.md.
 */
import type { Client, Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { capOfZero, createDailyCap } from './cap-gates.ts'
import { createDeviceGate } from './device-gate.ts'
import { createDigestGates, digestNotYet } from './digest-gates.ts'
import type { Gate, Passed, Question } from './gate.ts'
import { nextDigestOf } from './next-digest.ts'
import type { Obstacle } from './obstacle.ts'
import {
  categoryOff,
  channelOff,
  digestTooLate,
  paused,
  reasonOff,
  withinQuietHours,
} from './preference-gates.ts'
import { alreadyRead, cancelled, expired, recipientGone, suppressed, tenantSuspended } from './route-gates.ts'
import { createThrottleGate } from './throttle-gate.ts'

/** Asked from top to bottom; the first obstacle decides. */
export function createGates(db: Pool | Client, owner: string): Gate[] {
  const { joinDigest, closeDigest } = createDigestGates(db, owner)
  return [
    cancelled,
    expired,
    tenantSuspended,
    recipientGone,
    suppressed,
    alreadyRead,
    reasonOff,
    categoryOff,
    channelOff,
    digestTooLate,
    digestNotYet,
    paused,
    withinQuietHours,
    capOfZero,
    createDeviceGate(db),
    // From here on gates count or write something, so everything that can be decided without that comes before.
    createThrottleGate(db),
    joinDigest,
    closeDigest,
    // Last, so that an empty digest is not counted.
    createDailyCap(db, owner),
  ]
}

export async function passGates(
  gates: Gate[],
  route: ClaimedRoute,
  now: Date,
  simulatedAt?: Date,
): Promise<Obstacle | Passed> {
  const question: Question = { route, now, nextDigest: nextDigestOf(route, now), simulatedAt }
  const passed: Passed = {
    kind: 'pass',
    payload_json: route.payload_json,
    countedDay: null,
    reachedDevices: [],
  }
  for (const gate of gates) {
    const given = gate(question)
    // Most answer at once; awaiting those too would cost every route a dozen turns of the event loop.
    const answer = given instanceof Promise ? await given : given
    if (answer === undefined) continue
    if (answer.kind !== 'pass') return answer
    Object.assign(passed, answer)
  }
  return passed
}
