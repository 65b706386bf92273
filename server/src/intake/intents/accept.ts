/** Accepting: concurrent intents share one statement, and each caller is answered after the commit that holds its row. */
import { createHash } from 'node:crypto'
import type { Accepted, ErrorCode } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError, isDataError, isValueError } from '../../platform/database/errors.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { type Batcher, createBatcher } from '../../platform/queue/batcher.ts'
import type { CheckedIntent } from './intent.ts'
import { type AcceptRow, acceptIntents, insertMalformedIntents, type NewMalformedIntent } from './queries.ts'

export interface Acceptor {
  /** Throws a Refusal when the intent cannot be accepted. */
  accept(intent: CheckedIntent): Promise<Accepted>
  drained(): Promise<void>
}

export interface AcceptorOptions {
  pool: Pool
  /** New routes may be due. */
  onAccepted: () => void
  onBatch: (size: number) => void
}

/** Larger statements hold their row locks longer and gain nothing: the knee is near 100 (bench/). */
const MAX_BATCH = 200
/** A statement costs as much as about six of its intents; a second one at a time must be worth that. */
const OVERLAP_FROM = 22
/** What may wait for its statement, some seconds' worth: beyond it, memory would grow for as long as the rush lasts. */
const MAX_WAITING = 20_000
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024

export function createAcceptor(options: AcceptorOptions): Acceptor {
  const batcher: Batcher<CheckedIntent, AcceptRow | undefined> = createBatcher({
    flush: intents => flush(options, intents),
    maxBatch: MAX_BATCH,
    slots: 2,
    overlapFrom: OVERLAP_FROM,
    isolates: error =>
      isLocked(error) ||
      isDataError(error) ||
      isDatabaseError(error, 'deadlock_detected', 'serialization_failure'),
    isShared: isLocked,
    onFlush: options.onBatch,
  })
  const waiting = { intents: 0, characters: 0 }
  const wait = (intent: CheckedIntent, sign: 1 | -1) => {
    waiting.intents += sign
    waiting.characters += sign * intent.payload_json.length
  }
  return {
    async accept(intent) {
      if (waiting.intents >= MAX_WAITING || waiting.characters >= MAX_WAITING_CHARACTERS) throw tooMany()
      wait(intent, 1)
      try {
        return toAccepted(await batcher.add(intent))
      } catch (error) {
        throw toRefusal(error)
      } finally {
        wait(intent, -1)
      }
    },
    drained: () => batcher.drained(),
  }
}

/** Another transaction has not decided yet whether it keeps the same key, or holds a whole table. */
function isLocked(error: unknown): boolean {
  return isDatabaseError(error, 'lock_not_available')
}

function tooMany(): Refusal {
  return new Refusal(
    'unavailable',
    'More intents arrive than can be stored. This one was not accepted: send the same request again in a moment.',
  )
}

/** Accepts one intent inside a running transaction, by the same rules. Throws a Refusal when it cannot be accepted. */
export async function acceptInside(tx: Client, intent: CheckedIntent): Promise<Accepted> {
  try {
    return toAccepted((await acceptIntents(tx, [intent]))[0])
  } catch (error) {
    throw toRefusal(error)
  }
}

async function flush(options: AcceptorOptions, intents: CheckedIntent[]): Promise<(AcceptRow | undefined)[]> {
  const rows = await acceptIntents(options.pool, intents)
  const byOrd = new Map(rows.map(row => [row.ord, row]))
  const answers = intents.map((_, ord) => byOrd.get(ord))
  await keepConflicts(options.pool, intents, answers)
  if (rows.some(row => row.outcome === 'accepted')) options.onAccepted()
  return answers
}

/** Key conflicts are kept for the operator. Whoever relays a stream keeps its entries itself, as they were received. */
async function keepConflicts(
  pool: Pool,
  intents: CheckedIntent[],
  answers: (AcceptRow | undefined)[],
): Promise<void> {
  const kept = intents.flatMap((intent, i) => {
    const answer = answers[i]
    if (answer?.outcome !== 'conflict' || intent.source_entry_id !== null) return []
    return [conflictRow(intent, answer.failure_code!, answer.failure_message!)]
  })
  if (kept.length > 0) await insertMalformedIntents(pool, kept)
}

/** Without an entry id of its own, an intent is identified by its content, so a repeated conflict is kept once. */
function conflictRow(intent: CheckedIntent, code: ErrorCode, message: string): NewMalformedIntent {
  const { tenant_id, source, notification_type, producer, idempotency_key } = intent
  const content = JSON.stringify([
    producer,
    idempotency_key,
    notification_type,
    intent.audience,
    intent.payload_json,
    intent.template,
  ])
  return {
    tenant_id,
    source,
    source_entry_id: createHash('sha256').update(content).digest('hex'),
    notification_type,
    producer,
    idempotency_key: idempotency_key ?? '',
    failure_code: code,
    failure_message: message,
    raw_json: JSON.stringify({ ...intent, tenant_id: undefined, notification_id: undefined }),
  }
}

function toAccepted(row: AcceptRow | undefined): Accepted {
  if (row === undefined) throw new Error('accept_intents gave no answer for an intent')
  if (row.failure_code !== null) {
    const field = row.failure_field ?? 'body'
    const message = row.failure_message ?? ''
    throw new Refusal(row.failure_code, message, [{ field, message }])
  }
  return { notification_id: row.notification_id!, status: 'accepted', duplicate: row.outcome === 'duplicate' }
}

function toRefusal(error: unknown): unknown {
  // The payload is JSON, but beyond what PostgreSQL's JSON can hold: numbers too large, nesting too deep.
  if (!isValueError(error)) return error
  const { message } = error as Error
  return new Refusal('invalid_payload', `payload: ${message}.`, [{ field: 'payload', message }])
}
