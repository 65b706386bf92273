/**
 * Tells operators about streams that nobody reads. It belongs to another role than reading, since those who read may all
 * be gone.
 */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { markReadability } from './queries.ts'

export const UNREADABLE = 'stream_unreadable'
const INTERVAL_MS = 15_000

export function createReadabilityCheck(options: {
  pool: Pool
  wake: Wake
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'streams that nobody reads',
    async round() {
      await checkReadability(options.pool)
      return INTERVAL_MS
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}

export async function checkReadability(pool: Pool): Promise<void> {
  await transaction(pool, async tx => {
    for (const { tenant_id, name, is_unreadable, last_error, since } of await markReadability(tx)) {
      if (!is_unreadable) {
        await resolveSystemEvents(tx, tenant_id, UNREADABLE, name)
        continue
      }
      await raiseSystemEvent(tx, {
        tenant_id,
        event_type: UNREADABLE,
        subject: name,
        severity: 'high',
        description: `Nobody can read the stream "${name}"; what is added to it waits there. Is its server up, and a process with the role ingest running?`,
        details: { since: since.toISOString(), error: last_error },
      })
    }
  })
}
