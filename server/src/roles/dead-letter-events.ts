/** Tells operators about dead letters with a system event, which counts instead of repeating itself. */
import { raiseSystemEvent } from '../oversight/system-events/system-events.ts'
import type { Pool } from '../platform/database/pool.ts'

interface DeadLetters {
  tenantId: string
  /** What was dispatched; empty for messages. */
  source: string
  count: number
  /** For dispatches: how many led to the one that was given up. */
  depth?: number
}

/**
 * Reports of the same event wait for each other in the database, each on a connection of its own: one tenant's broken
 * endpoint would take all of them. So one is under way at a time, and what dies meanwhile goes with the next.
 */
export function createDeadLetterReport(pool: Pool, onError: (error: unknown) => void) {
  const unreported = new Map<string, DeadLetters>()
  const underWay = new Set<string>()

  async function reportUntilNoneIsLeft(key: string): Promise<void> {
    underWay.add(key)
    for (let dead = unreported.get(key); dead !== undefined; dead = unreported.get(key)) {
      unreported.delete(key)
      await raiseDeadLetters(pool, dead).catch(onError)
    }
    underWay.delete(key)
  }

  return (dead: DeadLetters): void => {
    const key = `${dead.tenantId}/${dead.source}`
    const before = unreported.get(key)
    unreported.set(key, before === undefined ? dead : together(before, dead))
    if (!underWay.has(key)) void reportUntilNoneIsLeft(key)
  }
}

function together(before: DeadLetters, dead: DeadLetters): DeadLetters {
  const count = before.count + dead.count
  if (before.depth === undefined || dead.depth === undefined) return { ...dead, count }
  return { ...dead, count, depth: Math.max(before.depth, dead.depth) }
}

async function raiseDeadLetters(pool: Pool, { tenantId, source, count, depth }: DeadLetters): Promise<void> {
  await raiseSystemEvent(pool, {
    tenant_id: tenantId,
    event_type: 'dead_letters',
    subject: source,
    severity: 'medium',
    description:
      source === ''
        ? 'Notifications could not be delivered and are waiting as dead letters.'
        : `Work for "${source}" was given up and is waiting as dead letters.`,
    details: { last_batch: count, ...(depth === undefined ? {} : { trigger_depth: depth }) },
  })
}
