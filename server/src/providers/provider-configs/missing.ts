/** Tells operators that messages wait because their channel has providers, but none that can be used. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'

/** The type of the system event. */
export const MISSING = 'provider_missing'

export interface MissingProvider {
  /** null if a process lacks settings of the environment: that concerns the operator and no tenant. */
  tenantId: string | null
  channel: string
  text: string
}

/** Thousands of messages may be waiting, and each would raise the event. */
const REPORT_INTERVAL_MS = 60_000

export function createMissingReport(pool: Pool, onError: (error: unknown) => void) {
  const reported = createMemory({ forMs: REPORT_INTERVAL_MS, now: Date.now })
  return ({ tenantId, channel, text }: MissingProvider): void => {
    const report = () =>
      raiseSystemEvent(pool, {
        tenant_id: tenantId,
        event_type: MISSING,
        subject: channel,
        severity: 'high',
        description: `Messages wait and are not captured. ${text}`,
      })
    reported.get(`${tenantId}/${channel}`, report).catch(onError)
  }
}
