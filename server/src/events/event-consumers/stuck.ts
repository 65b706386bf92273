/**
 * Tells operators about logs that nobody reads: cursors that do not move though there are events after them, and events
 * that get no place. It belongs to another role than those who read, since they may all be gone.
 */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { findUnordered } from '../domain-events/domain-events.ts'
import { STUCK } from './failure.ts'
import { selectStuckCursors } from './queries.ts'

const INTERVAL_MS = 60_000
/** Of each kind and round: where so many wait, the others wait for the same reason. */
const MAX_REPORTED = 100
const ORDERER = 'orderer'

export function createStuckCheck(options: {
  pool: Pool
  wake: Wake
  onError: (error: unknown) => void
}): Service {
  const check = createStuckChecker(options.pool)
  return createLoop({
    name: 'stuck events',
    async round() {
      await check()
      return INTERVAL_MS
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

/** Its age does not say how long an event has waited, since its transaction may have been long: it is looked at twice. */
export function createStuckChecker(pool: Pool): () => Promise<void> {
  let unordered = new Map<string, string>()
  const reported = new Set<string>()

  async function checkOrderer(): Promise<void> {
    const before = unordered
    unordered = new Map((await findUnordered(pool, MAX_REPORTED)).map(row => [row.tenant_id, row.event_id]))
    for (const [tenant_id, event_id] of unordered) {
      if (before.get(tenant_id) !== event_id) continue
      reported.add(tenant_id)
      await raiseSystemEvent(pool, {
        tenant_id,
        event_type: STUCK,
        subject: ORDERER,
        severity: 'high',
        description: 'Events are written but not put in order. Is a process with the role fanout running?',
        details: { event_id },
      })
    }
    for (const tenantId of reported) {
      if (unordered.has(tenantId)) continue
      reported.delete(tenantId)
      await resolveSystemEvents(pool, tenantId, STUCK, ORDERER)
    }
  }

  return async () => {
    await checkOrderer()
    for (const cursor of await selectStuckCursors(pool, MAX_REPORTED)) {
      const { tenant_id, consumer, lag, moved_at, last_error, tries, event_id, kind } = cursor
      await raiseSystemEvent(pool, {
        tenant_id,
        event_type: STUCK,
        subject: consumer,
        severity: 'high',
        description: `The consumer "${consumer}" does not read the log of events; what came after its last one waits.${tries === 0 ? NEVER_TRIED : ''}`,
        details: { lag, since: moved_at.toISOString(), error: last_error, tries, event_id, kind },
      })
    }
  }
}

/** An event that takes its process with it leaves no trace but this. */
const NEVER_TRIED =
  ' Nobody reads it, or the next event ends the process of whoever does: then move the cursor past it.'
