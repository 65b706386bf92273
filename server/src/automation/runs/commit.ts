/**
 * Stores a run that succeeded: its effects, its row and its reply are one transaction, and only while the row of the outbox
 * is still ours. So whatever dies when, an event has all effects of one run or none.
 */
import type { RunEffect } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError, isDataError } from '../../platform/database/errors.ts'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import type { LetterRoutes } from '../../reactions/dead-letters/dead-letters.ts'
import { lockClaimed, type OutboxRow } from '../../reactions/outbox/claim.ts'
import { storeReply } from '../invocations/replies.ts'
import { lockEntries } from '../kv/kv.ts'
import type { Execution } from '../scripts/execute.ts'
import { applyEffects, type RunInHand } from './apply-effects.ts'
import { inboxOf } from './outbox-row.ts'
import { insertRuns, type NewRun } from './queries.ts'

export type Committed =
  | { kind: 'stored'; effects: RunEffect[] }
  /** Another dispatcher has taken over the row. */
  | { kind: 'taken_over' }
  /** Somebody changed what the script had read, or was in the way: it has to run again. */
  | { kind: 'conflict' }
  /** Somebody keeps a lock on what it changes, and that may take long. */
  | { kind: 'locked' }
  | { kind: 'refused'; message: string }

export interface CommitParts {
  pool: Pool
  /** Names this process on its leases. */
  owner: string
  letterRoutes: LetterRoutes
}

/** The run as it is stored, but for what its effects became. */
export type RunToStore = Omit<NewRun, 'effects'>

/** A connection that waits is one that nobody else has, and the lease of a row that is locked is not extended. */
const LOCK_TIMEOUT = '1s'

class Conflict extends Error {}
class TakenOver extends Error {}

export async function commitRun(
  parts: CommitParts,
  row: OutboxRow,
  run: RunInHand,
  toStore: RunToStore,
  { effects, reads }: Pick<Execution, 'effects' | 'reads'>,
): Promise<Committed> {
  try {
    const done = await transaction(parts.pool, async tx => {
      await tx.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
      if (!(await lockClaimed(tx, row, parts.owner))) throw new TakenOver()
      await lockAndCompare(tx, run.tenantId, effects, reads)
      const applied = await applyEffects(tx, parts.letterRoutes, run, effects)
      await insertRuns(tx, [{ ...toStore, effects: applied }])
      await reply(tx, row, toStore)
      return applied
    })
    return { kind: 'stored', effects: done }
  } catch (error) {
    return judge(error)
  }
}

/** All entries that the run has read or changes, with one call: one after the other, two runs may wait for each other. */
async function lockAndCompare(
  tx: Client,
  tenantId: string,
  effects: Execution['effects'],
  reads: Execution['reads'],
): Promise<void> {
  const writes = effects.filter(effect => effect.type === 'kv_set' || effect.type === 'kv_delete')
  if (reads.length + writes.length === 0) return
  const versions = await lockEntries(tx, tenantId, [...reads, ...writes])
  if (reads.some(({ version }, i) => version !== versions[i])) throw new Conflict()
}

async function reply(tx: Client, row: OutboxRow, { script_id, result_json }: RunToStore): Promise<void> {
  const inbox = inboxOf(row)
  if (inbox === undefined) return
  const reply_json = result_json ?? 'null'
  await storeReply(tx, row.tenant_id, inbox, { status_code: 200, reply_json, outbox_id: row.id, script_id })
}

function judge(error: unknown): Committed {
  if (error instanceof TakenOver) return { kind: 'taken_over' }
  if (isDatabaseError(error, 'lock_not_available')) return { kind: 'locked' }
  const isInTheWay = isDatabaseError(error, 'deadlock_detected', 'serialization_failure')
  if (error instanceof Conflict || isInTheWay) return { kind: 'conflict' }
  if (error instanceof Refusal) return { kind: 'refused', message: withField(error) }
  if (isDataError(error)) return { kind: 'refused', message: (error as Error).message }
  throw error
}

/** The refusal of an intent's field mostly names it already. */
function withField({ message, errors }: Refusal): string {
  const field = errors?.[0]?.field
  return field === undefined || message.includes(field) ? message : `${message} (${field})`
}
