/** What belongs to a run that failed, stored in the transaction that completes its row: the run, and who is told. */
import type { ScriptEventKind } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import type { Client } from '../../platform/database/pool.ts'
import { storable } from '../../platform/text/cut.ts'
import { markHandlerFailed } from '../../reactions/dead-letters/dead-letters.ts'
import type { OutboxRow } from '../../reactions/outbox/claim.ts'
import { MAX_TRIGGER_DEPTH } from '../../reactions/outbox/decide.ts'
import type { CompletedDispatch } from '../../reactions/outbox/handler.ts'
import { failureReply, type ReplyFailure } from '../invocations/failures.ts'
import { storeReply } from '../invocations/replies.ts'
import { DEAD_LETTER_KIND, inboxOf, originOf, scriptIdOf } from './outbox-row.ts'
import type { Prepared } from './prepare.ts'
import { insertRuns, type NewRun } from './queries.ts'
import { describeRun, type FailedRun } from './run-script.ts'

/** A run that failed or could not begin; of one that could not begin, little is known. */
export interface FailedDispatch extends Partial<Pick<FailedRun, 'logs' | 'durationMs' | 'cpuMs'>> {
  failure: ReplyFailure
  message: string
  prepared?: Prepared
}

interface Ended extends CompletedDispatch<FailedDispatch> {
  details: FailedDispatch
}

const MAX_ERROR_LENGTH = 4000

export async function recordFailures(
  tx: Client,
  dispatches: CompletedDispatch<FailedDispatch>[],
): Promise<void> {
  const failures = dispatches.flatMap(failureOf)
  const runs = failures.flatMap(toRun)
  if (runs.length > 0) await insertRuns(tx, runs)
  const dropped = failures.filter(({ completion }) => completion.action === 'drop')
  for (const { row, details } of dropped) await reply(tx, row, details)
  await markHandlerFailed(tx, dropped.flatMap(letterOf))
}

/** Neither success nor waiting for a place is a failure, nor is the end of a chain that is too long. */
function failureOf(dispatch: CompletedDispatch<FailedDispatch>): Ended[] {
  const { row, completion, details } = dispatch
  const isWaiting = completion.action === 'retry' && !completion.uses_attempt
  if (completion.action === 'done' || isWaiting) return []
  if (details !== undefined) return [{ ...dispatch, details }]
  if (row.trigger_depth > MAX_TRIGGER_DEPTH) return []
  const failure = row.attempt_count > row.max_attempts ? 'lost' : 'crashed'
  return [{ ...dispatch, details: { failure, message: completion.message } }]
}

function toRun({ row, details }: Ended): NewRun[] {
  const { failure, message, logs = [], durationMs = 0, cpuMs = 0, prepared } = details
  if (failure === 'busy') return []
  const id = uuidv7()
  return [
    {
      ...(prepared === undefined ? describeUnprepared(id, row) : describeRun(id, row, prepared)),
      // The worker that takes over from one that died during the last attempt makes no attempt of its own.
      attempt: Math.min(row.attempt_count, row.max_attempts),
      status: 'failed',
      failure_kind: failure,
      error: storable(message, MAX_ERROR_LENGTH, 'characters'),
      logs,
      effects: [],
      result_json: null,
      duration_ms: Math.round(durationMs),
      cpu_ms: Math.round(cpuMs),
    },
  ]
}

function describeUnprepared(id: string, row: OutboxRow) {
  const { tenant_id, context, op, id: event_id, attempt_count: attempt, trigger_depth } = row
  return {
    ...{ id, tenant_id, event_id, attempt, trigger_depth, op },
    script_id: scriptIdOf(row),
    script_name: '',
    script_version: 0,
    trigger_id: typeof context.trigger_id === 'string' ? context.trigger_id : null,
    kind: row.source_kind as ScriptEventKind,
    ran_as: '',
    origin: originOf(row),
  }
}

async function reply(tx: Client, row: OutboxRow, { failure, message }: FailedDispatch): Promise<void> {
  const inbox = inboxOf(row)
  if (inbox === undefined) return
  const about = { outbox_id: row.id, script_id: scriptIdOf(row) }
  await storeReply(tx, row.tenant_id, inbox, {
    ...about,
    ...failureReply({ failure_kind: failure, message }),
  })
}

function letterOf({ row }: Ended): { tenant_id: string; id: string }[] {
  const { dead_letter_id } = row.context
  const isHandler = row.source_kind === DEAD_LETTER_KIND && typeof dead_letter_id === 'string'
  return isHandler ? [{ tenant_id: row.tenant_id, id: dead_letter_id }] : []
}
