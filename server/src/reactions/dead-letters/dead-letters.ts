/** Dead letters: look, replay, or let go. */
import type {
  Attempt,
  DeadLetter,
  DeadLetterDetail,
  ReplayAnswer,
  ReplayDeadLetters,
  ResolveDeadLetter,
} from '@carillon/contract'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import {
  countOpenDeadLetters,
  type DeadLetterRow,
  type LetterEventRow,
  lockMatchingIds,
  resolveAsReplayed,
  resolveDeadLetterRow,
  resolveLettersOfEvents,
  selectDeadLetter,
  selectLettersOfRoutes,
  sendLettersAgain,
} from './queries.ts'

export type { LetterEventRow }

/** What dead letters need of the routes they are about; delivery has it. */
export interface LetterRoutes {
  replay(tx: Client, tenantId: string, dead: { notification_id: string; route_id: string }[]): Promise<void>
  listAttempts(db: Executor, tenantId: string, notificationId: string, routeId: string): Promise<Attempt[]>
}

export async function getDeadLetter(
  pool: Pool,
  routes: LetterRoutes,
  tenantId: string,
  id: string,
): Promise<DeadLetterDetail> {
  const letter = await selectDeadLetter(pool, tenantId, id)
  if (letter === undefined) throw notFound(`dead letter ${id}`)
  const attempts = isOfRoute(letter)
    ? await routes.listAttempts(pool, tenantId, letter.notification_id, letter.route_id)
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
  routes: LetterRoutes,
  tenantId: string,
  id: string,
  by: string | null,
): Promise<DeadLetter> {
  const [letter] = await replayLetters(tx, routes, tenantId, [id], by)
  return letter === undefined ? refuseResolved(tx, tenantId, id) : toDeadLetter(letter)
}

/** Replays what matches, oldest first, at most `limit` of them; a dry run only counts. */
export async function replayMatching(
  tx: Client,
  routes: LetterRoutes,
  tenantId: string,
  request: ReplayDeadLetters,
  by: string | null,
): Promise<ReplayAnswer> {
  const { filter, limit, dry_run } = request
  const matched = await countOpenDeadLetters(tx, tenantId, filter)
  if (dry_run) return { dry_run, matched, replayed: 0, remaining: matched }
  const ids = await lockMatchingIds(tx, tenantId, filter, limit)
  const replayed = (await replayLetters(tx, routes, tenantId, ids, by)).length
  return { dry_run, matched, replayed, remaining: await countOpenDeadLetters(tx, tenantId, filter) }
}

/**
 * Makes the letters' routes due again, or sends what they hold again. A letter that somebody else resolves at the same
 * moment is not among the answers: one new try, whoever was first.
 */
async function replayLetters(
  tx: Client,
  routes: LetterRoutes,
  tenantId: string,
  ids: string[],
  by: string | null,
): Promise<DeadLetterRow[]> {
  const letters = await resolveAsReplayed(tx, tenantId, ids, by)
  const ofRoutes = letters.filter(isOfRoute)
  if (ofRoutes.length > 0) await routes.replay(tx, tenantId, ofRoutes)
  const others = letters.filter(letter => !isOfRoute(letter))
  if (others.length > 0)
    await sendLettersAgain(
      tx,
      tenantId,
      others.map(({ id }) => id),
    )
  return letters
}

function isOfRoute<Letter extends DeadLetterRow>(
  letter: Letter,
): letter is Letter & { notification_id: string; route_id: string } {
  return letter.source_kind === 'route'
}

/** What became of routes, as their letters tell, oldest first. */
export function listLettersOfRoutes(
  db: Executor,
  tenantId: string,
  notificationId: string,
  routeIds: string[],
): Promise<LetterEventRow[]> {
  return selectLettersOfRoutes(db, tenantId, notificationId, routeIds)
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
