/** Dead letters: reading them, replaying them, and closing them without another attempt. */
import type {
  Attempt,
  DeadLetter,
  DeadLetterDetail,
  ReplayAnswer,
  ReplayDeadLetters,
  ResolveAnswer,
  ResolveDeadLetter,
  ResolveDeadLetters,
} from '@carillon/contract'
import { notFound, Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError } from '../../platform/database/errors.ts'
import type { Client, Executor, Pool } from '../../platform/database/pool.ts'
import { isWebhookActive, notActive, WEBHOOK_KIND } from '../webhooks/webhooks.ts'
import {
  countOpenDeadLetters,
  countReplayable,
  type DeadLetterRow,
  lockMatchingIds,
  type RouteLetterRow,
  resolveAsReplayed,
  resolveDeadLetterRow,
  resolveLettersOfEvents,
  resolveMatchingRows,
  selectDeadLetter,
  selectLettersOfEvent,
  selectLettersOfRoutes,
  sendLettersAgain,
  updateHandlerFailed,
} from './queries.ts'

export type { RouteLetterRow }

/** What dead letters need from the routes they are about. Delivery provides it. */
export interface LetterRoutes {
  replay(tx: Client, tenantId: string, dead: { notification_id: string; route_id: string }[]): Promise<void>
  /** Changes where the route is sent to. Returns where that was before. */
  readdress(
    tx: Client,
    tenantId: string,
    route: { notification_id: string; route_id: string },
    address: string,
  ): Promise<string>
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
  const attempts = isAboutRoute(letter)
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

/**
 * `depth` is how many dispatches led to the replay. A person ends their chain; a script that replays a letter goes on with
 * it, or it could replay for ever what always fails.
 */
export async function replayDeadLetter(
  tx: Client,
  routes: LetterRoutes,
  tenantId: string,
  id: string,
  by: string | null,
  depth = 0,
): Promise<DeadLetter> {
  const [letter] = await replayLetters(tx, routes, tenantId, [id], by, depth)
  if (letter === undefined) return refuseResolved(tx, tenantId, id)
  if (letter.source === WEBHOOK_KIND && (await isWebhookActive(tx, tenantId, letter.target_id!)) === false)
    throw notActive()
  return toDeadLetter(letter)
}

/** Replays at most `limit` of the open letters that match, oldest first. A dry run only counts them. */
export async function replayMatching(
  tx: Client,
  routes: LetterRoutes,
  tenantId: string,
  request: ReplayDeadLetters,
  by: string | null,
): Promise<ReplayAnswer> {
  const { filter, limit, dry_run } = request
  const matched = await countReplayable(tx, tenantId, filter)
  if (dry_run) return { dry_run, matched, replayed: 0, remaining: matched }
  const ids = await lockMatchingIds(tx, tenantId, filter, limit)
  const replayed = (await replayLetters(tx, routes, tenantId, ids, by, 0)).length
  return { dry_run, matched, replayed, remaining: await countReplayable(tx, tenantId, filter) }
}

/**
 * Makes the letters' routes due again, or puts what they hold back into the outbox. Returns only those that were still
 * open, so that a letter which two people replay at once is sent once.
 */
async function replayLetters(
  tx: Client,
  routes: LetterRoutes,
  tenantId: string,
  ids: string[],
  by: string | null,
  depth: number,
): Promise<DeadLetterRow[]> {
  const letters = await resolveAsReplayed(tx, tenantId, ids, by, depth)
  const aboutRoutes = letters.filter(isAboutRoute)
  if (aboutRoutes.length > 0) await routes.replay(tx, tenantId, aboutRoutes)
  const aboutOutbox = letters.filter(letter => !isAboutRoute(letter))
  if (aboutOutbox.length > 0)
    await sendLettersAgain(
      tx,
      tenantId,
      aboutOutbox.map(({ id }) => id),
    )
  return letters
}

export function isAboutRoute<Letter extends Pick<DeadLetterRow, 'source_kind'>>(
  letter: Letter,
): letter is Letter & { notification_id: string; route_id: string } {
  return letter.source_kind === 'route'
}

/** Open and resolved letters about these routes, oldest first. */
export function listLettersOfRoutes(
  db: Executor,
  tenantId: string,
  notificationId: string,
  routeIds: string[],
): Promise<RouteLetterRow[]> {
  return selectLettersOfRoutes(db, tenantId, notificationId, routeIds)
}

/** Open and resolved letters about one thing to do, oldest first. */
export async function listLettersOfEvent(
  db: Executor,
  tenantId: string,
  originalEventId: string,
): Promise<DeadLetter[]> {
  return (await selectLettersOfEvent(db, tenantId, originalEventId)).map(toDeadLetter)
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

/** Closes at most `limit` of the open letters that match, oldest first. A dry run only counts them. */
export async function resolveMatching(
  tx: Client,
  tenantId: string,
  { filter, limit, dry_run, resolution }: ResolveDeadLetters,
  by: string | null,
): Promise<ResolveAnswer> {
  const matched = await countOpenDeadLetters(tx, tenantId, filter)
  if (dry_run) return { dry_run, matched, resolved: 0, remaining: matched }
  const resolved = await resolveMatchingRows(tx, tenantId, filter, { limit, resolution, by })
  return { dry_run, matched, resolved, remaining: await countOpenDeadLetters(tx, tenantId, filter) }
}

/** Resolves open letters as replayed when what they are about is sent again in some other way. */
export async function resolveLettersAbout(
  tx: Executor,
  tenantId: string,
  eventIds: string[],
  by: string | null,
): Promise<void> {
  if (eventIds.length > 0) await resolveLettersOfEvents(tx, tenantId, eventIds, by)
}

/** Notes that a handler failed at these letters. They stay open; one that is resolved by now stays as it is. */
export async function markHandlerFailed(
  tx: Executor,
  letters: { tenant_id: string; id: string }[],
): Promise<void> {
  if (letters.length > 0) await updateHandlerFailed(tx, letters)
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
    provider: row.provider,
    template: row.template || null,
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
    replayed_to: row.replayed_to,
    original_event_id: row.original_event_id,
    source: row.source,
    op: row.op,
    target_id: row.target_id,
    trigger_id: row.trigger_id,
    script_id: row.script_id,
    first_attempt_at: row.first_attempt_at?.toISOString() ?? null,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
  }
}

async function refuseResolved(db: Executor, tenantId: string, id: string): Promise<never> {
  const letter = await selectDeadLetter(db, tenantId, id)
  if (letter === undefined) throw notFound(`dead letter ${id}`)
  throw new Refusal(
    'already_resolved',
    `It was resolved as ${letter.resolution} at ${letter.resolved_at?.toISOString()}.`,
  )
}
