/**
 * The handlers of the outbox that run scripts: one for each kind of trigger and one for invocations, all alike. A run that
 * succeeds is stored by itself; what becomes of one that fails is stored with the completion of its row.
 */
import { SCRIPT_EVENT_KINDS } from '@carillon/contract'
import { isUnavailableError } from '../../platform/database/errors.ts'
import { createTurns } from '../../platform/queue/turns.ts'
import type { OutboxRow } from '../../reactions/outbox/claim.ts'
import type {
  DispatchOutcome,
  HandlerResult,
  LostEnd,
  OutboxHandler,
} from '../../reactions/outbox/handler.ts'
import { DEAD_LETTER_KIND, inboxOf } from './outbox-row.ts'
import { createPlaces } from './places.ts'
import { type Preparation, prepare } from './prepare.ts'
import { hasSucceeded } from './queries.ts'
import { type FailedDispatch, recordFailures } from './record-failures.ts'
import { databaseAway, type FailedRun, type RunParts, runScript } from './run-script.ts'

export interface ScriptHandlerParts extends Omit<RunParts, 'turns' | 'places'> {
  /** Most runs of one trigger, or invocations of one script, at once, per process. */
  maxPerTarget: number
  /** Notifications, triggers or letters may be due. */
  onEffects: () => void
  /** A caller's reply is stored. */
  onReplied: (inboxId: string) => void
  /** `outcome` is succeeded, busy, repeated, or the kind of failure. */
  onRun: (kind: string, outcome: string, durationMs: number) => void
}

/** Resuming a tenant makes its rows due at once. */
const SUSPENDED_DELAY_MS = 300_000
const MAX_CLAIMS = 1000
/** Of one tenant. A process has ten connections unless it is told otherwise. */
const STORED_AT_ONCE = 3

export function createScriptHandlers(options: ScriptHandlerParts): OutboxHandler<FailedDispatch>[] {
  const parts = { ...options, turns: createTurns(), places: createPlaces(STORED_AT_ONCE) }
  return SCRIPT_EVENT_KINDS.map(sourceKind => ({
    sourceKind,
    maxPerTarget: parts.maxPerTarget,
    handle: (row, signal) => handle(parts, row, signal).catch(error => unlessUnavailable(row, error)),
    record: recordFailures,
    onLost: row => endOfLost(parts, row),
  }))
}

async function handle(
  parts: ScriptHandlerParts & RunParts,
  row: OutboxRow,
  signal: AbortSignal,
): Promise<HandlerResult<FailedDispatch>> {
  // A dispatcher that died may have stored the run, and only not have said so.
  if (row.claim_count > 1 && (await hasSucceeded(parts.pool, row.tenant_id, row.id))) return DONE
  const prepared = await prepare(parts.pool, row)
  if (prepared.kind !== 'ready') return hindered(row, prepared)
  const ran = await runScript(parts, row, prepared, signal)
  switch (ran.kind) {
    case 'stored':
      parts.onRun(row.source_kind, 'succeeded', ran.durationMs)
      if (ran.hasEffects) parts.onEffects()
      if (inboxOf(row) !== undefined) parts.onReplied(inboxOf(row)!)
      return DONE
    case 'taken_over':
      // Completing it changes nothing, since the claim is not ours any more; but it is not done, so others must not follow.
      return postponed('Another dispatcher has taken it over.', 0)
    case 'busy':
      parts.onRun(row.source_kind, 'busy', 0)
      return noPlace(row, ran.message, ran.delayMs)
    case 'interrupted':
      return postponed(ran.message, ran.delayMs)
    case 'failed':
      parts.onRun(row.source_kind, ran.failure, ran.durationMs)
      return { outcome: failureOutcome(row, ran), details: { ...ran, prepared } }
  }
}

const DONE = { outcome: { kind: 'done' } } as const

const postponed = (message: string, delay_ms: number): HandlerResult<FailedDispatch> => ({
  outcome: { kind: 'busy', message, delay_ms },
})

/** Whoever waits is told to come back, rather than kept waiting for a place. */
function noPlace(row: OutboxRow, message: string, delayMs: number): HandlerResult<FailedDispatch> {
  if (inboxOf(row) === undefined) return postponed(message, delayMs)
  return { outcome: { kind: 'drop', message }, details: { failure: 'busy', message } }
}

/** A script must not use up its attempts because our database is away. A row that always finds it away is to blame itself. */
function unlessUnavailable(row: OutboxRow, error: unknown): HandlerResult<FailedDispatch> {
  if (!isUnavailableError(error) || row.claim_count > MAX_CLAIMS) throw error
  const { message, delayMs } = databaseAway()
  return postponed(message, delayMs)
}

function hindered(
  row: OutboxRow,
  hindrance: Exclude<Preparation, { kind: 'ready' }>,
): HandlerResult<FailedDispatch> {
  if (hindrance.kind === 'suspended') return noPlace(row, 'The tenant is suspended.', SUSPENDED_DELAY_MS)
  const { kind, message } = hindrance
  const failure = kind === 'missing' ? 'target_missing' : 'forbidden'
  const outcome: DispatchOutcome = isDropped(row)
    ? { kind: 'drop', message }
    : { kind: kind === 'missing' ? 'missing' : 'permanent', message }
  return { outcome, details: { failure, message } }
}

function failureOutcome(row: OutboxRow, { failure, message: text }: FailedRun): DispatchOutcome {
  const message = `${failure}: ${text}`
  return { kind: isDropped(row) ? 'drop' : 'retry', message }
}

/**
 * What has one attempt and leaves no dead letter: what somebody waits for, since they decide themselves whether to try
 * again, and the handlers of dead letters.
 */
function isDropped(row: OutboxRow): boolean {
  return inboxOf(row) !== undefined || row.source_kind === DEAD_LETTER_KIND
}

async function endOfLost(parts: ScriptHandlerParts, row: OutboxRow): Promise<LostEnd> {
  if (await hasSucceeded(parts.pool, row.tenant_id, row.id)) return 'done'
  return isDropped(row) ? 'drop' : 'dead'
}
