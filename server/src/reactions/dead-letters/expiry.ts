/** Open letters go with age like all others, but not before operators were told: nobody has dealt with them yet. */
import { raiseSystemEvent } from '../../oversight/system-events/system-events.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { EXPIRING, MARK_EXPIRING } from './sweep.ts'

const BATCH_ROWS = 5000
/** At most one event a day: a letter is told about three days before it goes. */
const COOL_DOWN_SECONDS = 86_400

/** The marks and the event are stored together, in batches. Returns how many letters operators were told about. */
export async function warnOfExpiry(pool: Pool): Promise<number> {
  for (let told = 0; ; ) {
    const marked = await transaction(pool, async tx => {
      const tenants = await markExpiring(tx, BATCH_ROWS)
      for (const { tenant_id } of tenants) await raiseExpiring(tx, tenant_id)
      return tenants.reduce((sum, tenant) => sum + tenant.marked, 0)
    })
    told += marked
    if (marked < BATCH_ROWS) return told
  }
}

/** By tenant, in the order of their ids: two processes that raise events for the same ones cannot block each other. */
export async function markExpiring(tx: Client, limit: number) {
  return (await tx.query<{ tenant_id: string; marked: number }>(MARK_EXPIRING, [limit])).rows
}

export async function selectExpiring(tx: Client, tenantId: string) {
  const { rows } = await tx.query<{
    letters: number
    oldest_at: Date
    deleted_from: Date
    retention_days: number
  }>(EXPIRING, [tenantId])
  return rows[0]!
}

async function raiseExpiring(tx: Client, tenantId: string): Promise<void> {
  const { letters, oldest_at, deleted_from, retention_days } = await selectExpiring(tx, tenantId)
  await raiseSystemEvent(tx, {
    tenant_id: tenantId,
    event_type: 'dead_letters_expiring',
    severity: 'high',
    description:
      'Open dead letters will be deleted because of their age. Replay or resolve them, or keep letters for longer with the tenant’s dead_letter_retention_days.',
    details: {
      letters,
      oldest_at: oldest_at.toISOString(),
      deleted_from: deleted_from.toISOString(),
      dead_letter_retention_days: retention_days,
    },
    cool_down_seconds: COOL_DOWN_SECONDS,
  })
}
