/**
 * Tells operators of an account that a service keeps refusing: a revoked key, a sender that is not verified, no credit.
 * That opens no breaker, as the service itself works, and messages go to the next provider: nobody would notice.
 */
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { storable } from '../../platform/text/cut.ts'
import { ACCOUNT_REFUSED, type NamedProvider, subjectOf } from './down.ts'

/** Refusals without a success between them; a single one may be about a recipient's country. */
const THRESHOLD = 5
const MAX_ERROR_LENGTH = 500

export interface AccountWatch {
  accepted(): Promise<void>
  refused(error: string): Promise<void>
}

export function createAccountWatch(pool: Pool, provider: NamedProvider): AccountWatch {
  let refusals = 0
  /** Another process, or an earlier one, may have raised the event. */
  let mayBeOpen = true

  return {
    async accepted() {
      refusals = 0
      if (!mayBeOpen) return
      mayBeOpen = false
      await resolveSystemEvents(pool, provider.tenant_id, ACCOUNT_REFUSED, subjectOf(provider))
    },
    async refused(error) {
      if (++refusals !== THRESHOLD) return
      mayBeOpen = true
      await raiseSystemEvent(pool, {
        tenant_id: provider.tenant_id,
        event_type: ACCOUNT_REFUSED,
        subject: subjectOf(provider),
        severity: 'high',
        description: `The provider "${provider.name}" keeps refusing our account, sender or settings.`,
        details: {
          provider_id: provider.id,
          channel: provider.channel,
          last_error: storable(error, MAX_ERROR_LENGTH),
        },
      })
    },
  }
}
