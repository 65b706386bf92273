/**
 * The gates that every claimed route has to pass before its message is sent, in delivery and in simulation. Their reasons
 * are in the same order in the contract and in docs/reference/reasons.md.
 */
import type { Client, Pool } from '../../platform/database/pool.ts'
import { createDigests } from '../digests/digests.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { capOfZero, createCaps } from './cap-gates.ts'
import { createDeviceGate } from './device-gate.ts'
import { createDigestGates, digestNotYet } from './digest-gates.ts'
import type { Gate, Held, Passed, Question } from './gate.ts'
import { nextDigestOf } from './next-digest.ts'
import {
  categoryOff,
  channelOff,
  digestTooLate,
  paused,
  reasonOff,
  withinQuietHours,
} from './preference-gates.ts'
import { alreadyRead, cancelled, expired, recipientGone, suppressed, tenantSuspended } from './route-gates.ts'
import { createStormGate } from './storm-gate.ts'
import { notVisible, threadUnsubscribed } from './thread-gates.ts'
import { createThrottleGate } from './throttle-gate.ts'
import { type AskVisibility, createVisibilityGate } from './visibility-gate.ts'

/**
 * Asked from top to bottom; the first obstacle decides. Without `askVisibility`, what tenants want to be asked about waits
 * for a process that can.
 */
export function createGates(db: Pool | Client, owner: string, askVisibility?: AskVisibility): Gate[] {
  const digests = createDigests(db, owner)
  const { joinDigest, closeDigest } = createDigestGates(digests)
  return [
    cancelled,
    expired,
    tenantSuspended,
    recipientGone,
    notVisible,
    suppressed,
    alreadyRead,
    threadUnsubscribed,
    reasonOff,
    categoryOff,
    channelOff,
    digestTooLate,
    digestNotYet,
    paused,
    withinQuietHours,
    capOfZero,
    createDeviceGate(db),
    createVisibilityGate(askVisibility),
    // From here on gates count or write something, so everything that can be decided without that comes before.
    createThrottleGate(db),
    joinDigest,
    createCaps(db, owner, digests),
    // After the caps, and after digests, which dampen storms themselves: what they hold back is no mail.
    createStormGate(db),
    // Last: while a cap holds a digest back, more may join it, and what is in it may be cancelled or expire.
    closeDigest,
  ]
}

export async function passGates(
  gates: Gate[],
  route: ClaimedRoute,
  now: Date,
  simulatedAt?: Date,
): Promise<Held | Passed> {
  const question: Question = { route, now, nextDigest: nextDigestOf(route, now), simulatedAt }
  const passed: Passed = {
    kind: 'pass',
    payload_json: route.payload_json,
    countedDay: null,
    countedIn: [],
    isReserved: false,
    note: '',
    reachedDevices: [],
  }
  for (const gate of gates) {
    const given = gate(question)
    // Most answer at once; awaiting those too would cost every route a dozen turns of the event loop.
    const answer = given instanceof Promise ? await given : given
    if (answer === undefined) continue
    if (answer.kind !== 'pass')
      return { ...answer, countedDay: passed.countedDay, countedIn: passed.countedIn }
    Object.assign(passed, answer)
  }
  return passed
}
