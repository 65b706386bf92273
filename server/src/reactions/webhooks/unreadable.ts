/** Tells operators that events wait because a process cannot open the secrets of a webhook. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'

/** Many events may be waiting, and each would raise it. */
const REPORT_INTERVAL_MS = 60_000

/** It concerns the operator, whose process lacks the key, and no tenant. */
export function createUnreadableReport(pool: Pool, onError: (error: unknown) => void) {
  const reported = createMemory({ forMs: REPORT_INTERVAL_MS, now: Date.now })
  return (error: Error): void => {
    const report = () =>
      raiseSystemEvent(pool, {
        tenant_id: null,
        event_type: 'secrets_unreadable',
        subject: 'webhooks',
        severity: 'high',
        description: `Events of webhooks wait, because a process cannot open the secrets. ${error.message}`,
      })
    reported.get('webhooks', report).catch(onError)
  }
}
