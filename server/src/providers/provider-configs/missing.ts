/** Tells operators that messages wait because their channel has a provider, but none that can be asked. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { createMemory } from '../../platform/memory/remember.ts'

/** The type of the system event. */
export const MISSING = 'provider_missing'

export interface MissingProvider {
  /** null when it is missing in the environment: that is the operator's business. */
  tenantId: string | null
  channel: string
  text: string
}

/** Messages may be waiting by the thousands; the event need not be told more often than this. */
const TELL_MS = 60_000

export function createMissingReport(pool: Pool, onError: (error: unknown) => void) {
  const told = createMemory({ forMs: TELL_MS, now: Date.now })
  return ({ tenantId, channel, text }: MissingProvider): void => {
    const tell = () =>
      raiseSystemEvent(pool, {
        tenant_id: tenantId,
        event_type: MISSING,
        subject: channel,
        severity: 'high',
        description: `Messages wait and are not captured. ${text}`,
      })
    told.get(`${tenantId}/${channel}`, tell).catch(onError)
  }
}
