/**
 * What becomes of work that was due when an instance was restored. The database is as it was at the restored point, and the
 * instance that is gone went on after it: what was due may have been sent. So nothing is sent until an operator decides.
 */
import { skipMissedTriggers } from '../../automation/triggers/cron-ticker.ts'
import { discardDueRoutes } from '../../delivery/routes/discard.ts'
import { orderAllEvents } from '../../events/domain-events/orderer.ts'
import { skipUnreadEvents } from '../../events/event-consumers/skip.ts'
import { skipMissedSchedules } from '../../intake/schedules/scheduler.ts'
import { raiseSystemEvent, resolveSystemEvents } from '../../oversight/system-events/system-events.ts'
import { discardExpansions } from '../../planning/expansions/discard.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { discardDueOutbox } from '../../reactions/outbox/discard.ts'
import {
  type Decision,
  type HeldWork,
  insertRestore,
  type NewRestore,
  type RestoreRow,
  selectHeldWork,
  selectUndecided,
  storeDecision,
} from './queries.ts'

export interface HeldRestore extends RestoreRow {
  work: HeldWork
}

const RESTORED = 'instance_restored'

/**
 * Called before any process starts on what was restored. Runs of schedules and cron triggers that were due since are left
 * out: the instance that is gone had them, or nobody needs them by now. Events get their places, so that those from before
 * and those that come while it waits can be told apart.
 */
export async function holdInstance(pool: Pool, restore: NewRestore): Promise<HeldRestore> {
  const row = await insertRestore(pool, restore)
  await skipMissedSchedules(pool, row.restored_at)
  await skipMissedTriggers(pool, row.restored_at)
  await orderAllEvents(pool)
  await raiseSystemEvent(pool, {
    tenant_id: null,
    event_type: RESTORED,
    severity: 'critical',
    description:
      'This instance was restored from a backup and sends nothing, since what was due may have been sent already. Decide with "carillon restore release" or "carillon restore discard".',
    details: { backup_id: row.backup_id, restored_to: row.restored_to, restored_at: row.restored_at },
  })
  return { ...row, work: await selectHeldWork(pool, row.restored_at) }
}

export async function findHeldRestore(pool: Pool): Promise<HeldRestore | undefined> {
  const row = await selectUndecided(pool)
  return row && { ...row, work: await selectHeldWork(pool, row.restored_at) }
}

export async function isInstanceHeld(pool: Pool): Promise<boolean> {
  return (await selectUndecided(pool)) !== undefined
}

/** Everything that was due is sent, some of it for the second time. */
export function releaseInstance(pool: Pool): Promise<HeldRestore> {
  return decide(pool, 'released', async () => {})
}

/**
 * Nothing that was due is sent; what comes at a later time is, and so is what has come since. Messages of the inbox are
 * delivered: they are part of the database, so their effect was lost together with what is known about them.
 */
export function discardHeldWork(pool: Pool): Promise<HeldRestore> {
  return decide(pool, 'discarded', async ({ restored_at }) => {
    await discardDueRoutes(pool, restored_at)
    await discardDueOutbox(pool, restored_at)
    await discardExpansions(pool, restored_at)
    await skipUnreadEvents(pool)
  })
}

/** Can be run again after an interruption: the decision is stored last. */
async function decide(
  pool: Pool,
  decision: Decision,
  carryOut: (restore: HeldRestore) => Promise<void>,
): Promise<HeldRestore> {
  const restore = await findHeldRestore(pool)
  if (restore === undefined) throw new Error('Nothing is held back: this instance is at work.')
  await carryOut(restore)
  await transaction(pool, async tx => {
    await storeDecision(tx, restore.id, decision)
    await resolveSystemEvents(tx, null, RESTORED, '')
  })
  return restore
}
