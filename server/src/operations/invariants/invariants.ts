/** Every invariant, and the walks on which the reconciler proves them. */
import { cronTriggerWalk, cursorWalk, scheduleWalk, tenantWalk, unorderedWalk } from './event-invariants.ts'
import type { Invariant, Walk } from './invariant.ts'
import { hourWalk } from './metric-invariants.ts'
import { deliveryWalk, letterWalk, outboxWalk, recoveryWalk } from './outbox-invariants.ts'
import { digestWalk, expansionWalk, recordWalk, routeWalk } from './record-invariants.ts'

/** `outboxKinds` are those that dispatchers have handlers for. */
export const createWalks = (outboxKinds: readonly string[]): Walk[] => [
  recordWalk,
  routeWalk,
  digestWalk,
  expansionWalk,
  outboxWalk(outboxKinds),
  letterWalk,
  deliveryWalk,
  recoveryWalk,
  cursorWalk,
  unorderedWalk,
  tenantWalk,
  scheduleWalk,
  cronTriggerWalk,
  hourWalk,
]

export const INVARIANTS: readonly Invariant[] = createWalks([]).flatMap(walk => walk.invariants)

export const INVARIANT_NAMES: readonly string[] = INVARIANTS.map(({ name }) => name)
