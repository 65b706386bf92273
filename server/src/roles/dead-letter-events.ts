/** Tells operators about dead letters with a system event, which counts instead of repeating itself. */
import { raiseSystemEvent } from '../oversight/system-events/system-events.ts'
import type { Pool } from '../platform/database/pool.ts'

export function reportDeadRoutes(pool: Pool, tenantId: string, count: number): Promise<void> {
  return raiseDeadLetters(pool, tenantId, '', {
    description: 'Notifications could not be delivered and are waiting as dead letters.',
    details: { last_batch: count },
  })
}

/** `depth` is how many dispatches led to the one that was given up. */
export function reportDeadDispatch(
  pool: Pool,
  tenantId: string,
  source: string,
  depth: number,
): Promise<void> {
  return raiseDeadLetters(pool, tenantId, source, {
    description: `Work for "${source}" was given up and is waiting as dead letters.`,
    details: { last_batch: 1, trigger_depth: depth },
  })
}

async function raiseDeadLetters(
  pool: Pool,
  tenantId: string,
  subject: string,
  event: { description: string; details: Record<string, unknown> },
): Promise<void> {
  await raiseSystemEvent(pool, {
    tenant_id: tenantId,
    event_type: 'dead_letters',
    subject,
    severity: 'medium',
    ...event,
  })
}
