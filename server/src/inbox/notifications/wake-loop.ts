/**
 * What happens to inbox rows by themselves: a snooze ends, and the row is unread again; a row expires, and is marked as
 * gone, so that clients who poll or listen learn of both. Lists do not rely on it: they compare the times themselves.
 */
import type { Pool } from '../../platform/database/pool.ts'
import { createLoop, type Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'

const BATCH_ROWS = 500

/** Locked rows are left for the next round: an event or a person is changing them. */
const batchOf = (table: string, due: string): string =>
  `ctid = any (array(select ctid from ${table} where ${due} limit ${BATCH_ROWS} for no key update skip locked))`

const DUE_SNOOZE = 'snoozed_until <= now()'
const WOKEN = 'snoozed_until = null, is_read = false, read_at = null, done_at = null'
/** To the person it is as new as an event: nobody who looked before has seen it come back. */
const NEWS = 'event_version = (pg_current_xact_id()::text)::bigint'
const DUE_EXPIRY = 'expires_at <= now() and deleted_at is null'

/** Each changes some rows and says whose inboxes those are in; null is everybody's. */
const CHANGES = [
  `update notifications set ${WOKEN}, ${NEWS} where ${batchOf('notifications', DUE_SNOOZE)} returning tenant_id, user_id`,
  `update notification_receipts set ${WOKEN} where ${batchOf('notification_receipts', DUE_SNOOZE)}
   returning tenant_id, user_id`,
  `update notifications set deleted_at = now(), saved_at = null where ${batchOf('notifications', DUE_EXPIRY)} returning tenant_id, user_id`,
]

export interface Woken {
  tenant_id: string
  user_id: string | null
}

/** One batch of each; whether there may be more. */
export async function wakeRows(pool: Pool): Promise<{ woken: Woken[]; isMore: boolean }> {
  const woken: Woken[] = []
  let isMore = false
  for (const change of CHANGES) {
    const { rows } = await pool.query<Woken>(change)
    woken.push(...rows)
    isMore ||= rows.length === BATCH_ROWS
  }
  return { woken, isMore }
}

export function createInboxWaker(options: {
  pool: Pool
  wake: Wake
  pollMs: number
  onInbox: (tenantId: string, userIds: string[] | null) => void
  onError: (error: unknown) => void
}): Service {
  return createLoop({
    name: 'inbox waker',
    round: async () => {
      const { woken, isMore } = await wakeRows(options.pool)
      for (const { tenant_id, user_id } of woken)
        options.onInbox(tenant_id, user_id === null ? null : [user_id])
      return isMore ? 0 : options.pollMs
    },
    wait: ms => options.wake.wait(ms),
    interrupt: () => options.wake.call(),
    onError: options.onError,
  })
}
