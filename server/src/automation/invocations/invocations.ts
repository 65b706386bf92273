/**
 * Running a script on request. What is to run goes through the outbox like everything else, so the API needs no sandbox and
 * the dispatcher may be another process. Whoever waits has an inbox, created together with the row of the outbox.
 */
import type { AbandonedExecution, InvocationAccepted, InvocationResult } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { type Acting, keyOf, originOf, type Principal } from '../../platform/calls/principal.ts'
import { type Pool, transaction } from '../../platform/database/pool.ts'
import { enqueue, type NewOutboxRow } from '../../reactions/outbox/enqueue.ts'
import { type FailureReply, noReply, refusalOf } from './failures.ts'
import { type AbandonedRow, insertInbox, selectDefaultPolicy } from './queries.ts'
import type { ReplyWaiter } from './waiting.ts'

export const INVOKE_KIND = 'invoke'
/** For what happens besides the run: claiming, storing, the way back. */
const GRACE_MS = 2000
/** Until an inbox of a caller who cannot delete it any more counts as left. */
const EXPIRY_MARGIN_MS = 5000

export interface InvocationParts {
  pool: Pool
  replies: ReplyWaiter
  /** The outbox has a new row. */
  onDue: () => void
}

/** Whom an invocation runs as, with what that key was allowed to do then. */
export type Invoker = Acting & { api_key_id: string }

const invokerOf = (principal: Principal): Invoker => ({
  user_id: principal.user_id,
  api_key_id: keyOf(principal),
  scopes: principal.scopes,
  producers: principal.producers,
})

/** What is to run; the id and where to reply are added here. */
export type WaitedRow = Omit<NewOutboxRow, 'id' | 'max_attempts'>

export interface WaitedScript {
  id: string
  timeout_ms: number
}

/**
 * Puts the row into the outbox and waits for what the script gives back. One attempt: a caller who waits decides itself
 * whether to try again. Throws a Refusal when it failed or took too long; a caller who has left does not see it.
 */
export async function runAndWait(
  { pool, replies, onDue }: InvocationParts,
  row: WaitedRow,
  script: WaitedScript,
  caller: AbortSignal,
): Promise<{ execution_id: string; result_json: string }> {
  const { tenant_id } = row
  const inbox = { tenant_id, id: uuidv7(), outbox_id: uuidv7(), script_id: script.id }
  const waitMs = script.timeout_ms + GRACE_MS
  await transaction(pool, async tx => {
    await insertInbox(tx, { ...inbox, expires_in_ms: waitMs + EXPIRY_MARGIN_MS })
    const context = { ...row.context, script_id: script.id, reply_to: inbox.id }
    await enqueue(tx, [{ ...row, id: inbox.outbox_id, max_attempts: 1, context }])
  })
  onDue()
  const reply = await replies.wait(inbox, waitMs, caller)
  if (reply === undefined) throw noReply(waitMs, inbox.outbox_id)
  if (reply.status_code === 200) return { execution_id: inbox.outbox_id, result_json: reply.reply_json }
  throw refusalOf(JSON.parse(reply.reply_json) as FailureReply)
}

interface InvokedScript extends WaitedScript {
  tenant_id: string
}

function invocationOf(script: InvokedScript, principal: Principal, inputJson: string): WaitedRow {
  return {
    tenant_id: script.tenant_id,
    source_kind: INVOKE_KIND,
    op: INVOKE_KIND,
    target_id: script.id,
    payload: inputJson,
    context: { script_id: script.id, origin: originOf(principal), invoked_by: invokerOf(principal) },
  }
}

export async function invokeAndWait(
  parts: InvocationParts,
  script: InvokedScript,
  principal: Principal,
  inputJson: string,
  caller: AbortSignal,
): Promise<InvocationResult> {
  const row = invocationOf(script, principal, inputJson)
  const { execution_id, result_json } = await runAndWait(parts, row, script, caller)
  return { execution_id, result: JSON.parse(result_json) }
}

/** Nobody waits for it, so it is tried again as the tenant has its triggers tried again. */
export async function invokeLater(
  { pool, onDue }: InvocationParts,
  script: InvokedScript,
  principal: Principal,
  inputJson: string,
): Promise<InvocationAccepted> {
  const policy = await selectDefaultPolicy(pool, script.tenant_id)
  const [id] = await enqueue(pool, [{ ...invocationOf(script, principal, inputJson), ...policy }])
  onDue()
  return { execution_id: id!, accepted_at: new Date().toISOString() }
}

export function toAbandoned({ outbox_id, created_at, ...row }: AbandonedRow): AbandonedExecution {
  return { ...row, execution_id: outbox_id, created_at: created_at.toISOString() }
}
