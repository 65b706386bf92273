/** Dead letters: look, replay, or let go. */
import type {
  DeadLetter,
  DeadLetterDetail,
  ReplayAnswer,
  ReplayDeadLetters,
  ResolveDeadLetter,
} from '@carillon/contract'
import { listAttempts } from '../../operations/records/attempts.ts'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import {
  countOpenDeadLetters,
  type DeadLetterRow,
  lockMatchingIds,
  replayDeadLetterRows,
  resolveDeadLetterRow,
  resolveLettersOfEvents,
  selectDeadLetter,
} from './queries.ts'

export async function getDeadLetter(pool: Pool, tenantId: string, id: string): Promise<DeadLetterDetail> {
  const letter = await selectDeadLetter(pool, tenantId, id)
  if (letter === undefined) throw notFound(`dead letter ${id}`)
  const attempts =
    letter.source_kind === 'route'
      ? await listAttempts(pool, tenantId, letter.notification_id!, letter.route_id!)
      : []
  return { ...toDeadLetter(letter), payload_json: letter.payload_json, attempts }
}

export async function findDeadLetter(
  db: Executor,
  tenantId: string,
  id: string,
): Promise<DeadLetter | undefined> {
  const row = await selectDeadLetter(db, tenantId, id)
  return row && toDeadLetter(row)
}

export async function replayDeadLetter(
  tx: Client,
  tenantId: string,
  id: string,
  by: string | null,
): Promise<DeadLetter> {
  const [letter] = await replayDeadLetterRows(tx, tenantId, [id], by)
  return letter === undefined ? refuseResolved(tx, tenantId, id) : toDeadLetter(letter)
}

/** Replays what matches, oldest first, at most `limit` of them; a dry run only counts. */
export async function replayMatching(
  tx: Client,
  tenantId: string,
  request: ReplayDeadLetters,
  by: string | null,
): Promise<ReplayAnswer> {
  const { filter, limit, dry_run } = request
  const matched = await countOpenDeadLetters(tx, tenantId, filter)
  if (dry_run) return { dry_run, matched, replayed: 0, remaining: matched }
  const ids = await lockMatchingIds(tx, tenantId, filter, limit)
  const replayed = (await replayDeadLetterRows(tx, tenantId, ids, by)).length
  return { dry_run, matched, replayed, remaining: await countOpenDeadLetters(tx, tenantId, filter) }
}

export async function resolveDeadLetter(
  db: Executor,
  tenantId: string,
  id: string,
  request: ResolveDeadLetter,
  by: string | null,
): Promise<DeadLetter> {
  try {
    const resolvedBy = request.resolved_by ?? by
    const letter = await resolveDeadLetterRow(db, tenantId, id, request.resolution, resolvedBy)
    return letter === undefined ? await refuseResolved(db, tenantId, id) : toDeadLetter(letter)
  } catch (error) {
    if (!isDatabaseError(error, 'foreign_key_violation')) throw error
    throw new Refusal('recipient_not_found', `There is no user "${request.resolved_by}".`, [
      { field: 'resolved_by', message: 'Name an existing user.' },
    ])
  }
}

/** What open letters were about is being tried again in another way, so they are resolved like a replay. */
export async function resolveReplayed(
  tx: Executor,
  tenantId: string,
  eventIds: string[],
  by: string | null,
): Promise<void> {
  if (eventIds.length > 0) await resolveLettersOfEvents(tx, tenantId, eventIds, by)
}

export function toDeadLetter(row: DeadLetterRow): DeadLetter {
  return {
    id: row.id,
    source_kind: row.source_kind,
    notification_id: row.notification_id,
    route_id: row.route_id,
    notification_type: row.notification_type,
    channel: row.channel,
    recipient_ref: row.recipient_ref,
    final_attempt_count: row.final_attempt_count,
    max_attempts: row.max_attempts,
    failure_reason: row.failure_reason,
    failure_classification: row.failure_classification,
    failure_message: row.failure_message,
    recovery_hint: row.recovery_hint,
    created_at: row.created_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    resolution: row.resolution,
    resolved_by: row.resolved_by,
    original_event_id: row.original_event_id,
    source: row.source,
    op: row.op,
    target_id: row.target_id,
    first_attempt_at: row.first_attempt_at?.toISOString() ?? null,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
  }
}

async function refuseResolved(db: Executor, tenantId: string, id: string): Promise<never> {
  const letter = await selectDeadLetter(db, tenantId, id)
  if (letter === undefined) throw notFound(`dead letter ${id}`)
  throw new Refusal(
    'already_resolved',
    `It was ${letter.resolution} at ${letter.resolved_at?.toISOString()}.`,
  )
}
