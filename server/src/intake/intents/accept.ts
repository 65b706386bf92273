/** Accepting: concurrent intents share one statement, and each caller is answered once its record is committed. */
import { createHash } from 'node:crypto'
import type { Accepted, ErrorCode } from '@carillon/contract'
import { Refusal } from '../../platform/calls/refusal.ts'
import { isDatabaseError, isDataError, isValueError } from '../../platform/database/errors.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { type Batcher, createBatcher } from '../../platform/queue/batcher.ts'
import type { ConcurrencyLimit } from '../../platform/queue/concurrency-limit.ts'
import { type BatchNames, traceBatches } from '../../platform/tracing/batched.ts'
import { attachedBytes, hasAttachments, withoutContents } from './channel-options.ts'
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
  /** How many statements may run at once, where several acceptors share the connections. */
  limit?: ConcurrencyLimit
}

/** Larger statements hold their row locks longer for no gain: throughput levels off near 100 intents (bench/). */
const MAX_BATCH_INTENTS = 200
/** A statement has a fixed cost of about six intents, so a second one runs beside the first only for this many. */
const OVERLAP_FROM_INTENTS = 22
/** What may wait for its statement, some seconds' worth: beyond it, memory would grow for as long as the rush lasts. */
const MAX_WAITING = 20_000
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024

export function createAcceptor(options: AcceptorOptions): Acceptor {
  const { limit = { run: work => work() } } = options
  const traced = traceBatches(SPANS)
  const flushTraced = traced.flush((intents: CheckedIntent[]) => flush(options, intents))
  const common = {
    flush: (intents: CheckedIntent[]) => limit.run(() => flushTraced(intents)),
    onFlush: options.onBatch,
  }
  const batcher: Batcher<CheckedIntent, AcceptRow | undefined> = createBatcher({
    ...common,
    maxBatch: MAX_BATCH_INTENTS,
    slots: 2,
    overlapFrom: OVERLAP_FROM_INTENTS,
    isolates: error =>
      isLocked(error) ||
      isDataError(error) ||
      isDatabaseError(error, 'deadlock_detected', 'serialization_failure'),
    isShared: isLocked,
  })
  /** One at a time: megabytes of attachments would make everybody else's statement slow. */
  const large: Batcher<CheckedIntent, AcceptRow | undefined> = createBatcher({ ...common, maxBatch: 1 })
  const waiting = { intents: 0, characters: 0 }
  const wait = (intent: CheckedIntent, sign: 1 | -1) => {
    waiting.intents += sign
    waiting.characters += sign * (intent.payload_json.length + attachedBytes(intent.options?.email))
  }
  return {
    async accept(intent) {
      if (waiting.intents >= MAX_WAITING || waiting.characters >= MAX_WAITING_CHARACTERS) throw tooMany()
      wait(intent, 1)
      try {
        const { add } = hasAttachments(intent.options) ? large : batcher
        return await traced.submit(intent, async each => toAccepted(await add(each)))
      } catch (error) {
        throw toRefusal(error)
      } finally {
        wait(intent, -1)
      }
    },
    drained: async () => {
      await Promise.all([batcher.drained(), large.drained()])
    },
  }
}

const SPANS: BatchNames<CheckedIntent> = {
  item: 'accept intent',
  batch: 'accept intents',
  attributesOf: ({ tenant_id, notification_id, notification_type }) => ({
    'carillon.tenant_id': tenant_id,
    'carillon.notification_id': notification_id,
    'carillon.notification_type': notification_type,
  }),
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

/** Accepts one intent inside the caller's transaction, by the same rules. Throws a Refusal if it cannot be accepted. */
export async function acceptInTransaction(tx: Client, intent: CheckedIntent): Promise<Accepted> {
  try {
    return toAccepted((await acceptIntents(tx, [intent]))[0])
  } catch (error) {
    throw toRefusal(error)
  }
}

/**
 * Accepts several inside the caller's transaction, in one statement, which locks their keys in order. For each intent its
 * answer or why it is refused; those that are not refused are accepted, so whoever wants all or none rolls back.
 */
export async function acceptAllInTransaction(
  tx: Client,
  intents: CheckedIntent[],
): Promise<(Accepted | Refusal)[]> {
  try {
    const rows = new Map((await acceptIntents(tx, intents)).map(row => [row.ord, row]))
    return intents.map((_, ord) => acceptedOrRefusal(rows.get(ord)))
  } catch (error) {
    throw toRefusal(error)
  }
}

function acceptedOrRefusal(row: AcceptRow | undefined): Accepted | Refusal {
  try {
    return toAccepted(row)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

async function flush(options: AcceptorOptions, intents: CheckedIntent[]): Promise<(AcceptRow | undefined)[]> {
  const rows = await acceptIntents(options.pool, intents)
  const byOrd = new Map(rows.map(row => [row.ord, row]))
  const answers = intents.map((_, ord) => byOrd.get(ord))
  await storeConflicts(options.pool, intents, answers)
  if (rows.some(row => row.outcome === 'accepted')) options.onAccepted()
  return answers
}

/** Stores key conflicts for the operator, except those of stream entries: whoever reads the stream stores these as received. */
async function storeConflicts(
  pool: Pool,
  intents: CheckedIntent[],
  answers: (AcceptRow | undefined)[],
): Promise<void> {
  const conflicts = intents.flatMap((intent, i) => {
    const answer = answers[i]
    if (answer?.outcome !== 'conflict' || intent.source_entry_id !== null) return []
    return [conflictRow(intent, answer.failure_code!, answer.failure_message!)]
  })
  if (conflicts.length > 0) await insertMalformedIntents(pool, conflicts)
}

/** Without a stream entry's id, an intent is identified by its content, so a repeated conflict is stored once. */
function conflictRow(intent: CheckedIntent, code: ErrorCode, message: string): NewMalformedIntent {
  const { tenant_id, source, notification_type, producer, idempotency_key } = intent
  const content = JSON.stringify([
    producer,
    idempotency_key,
    notification_type,
    intent.audience,
    intent.payload_json,
    intent.template,
    intent.channels,
    intent.send_at,
    intent.send_at_local,
    intent.expires_at,
    intent.reason,
    ...(intent.options === null ? [] : [intent.options]),
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
    raw_json: JSON.stringify({
      ...intent,
      options: withoutContents(intent.options) ?? undefined,
      tenant_id: undefined,
      notification_id: undefined,
    }),
  }
}

function toAccepted(row: AcceptRow | undefined): Accepted {
  if (row === undefined) throw new Error('accept_intents gave no answer for an intent')
  if (row.failure_code !== null) {
    const field = row.failure_field ?? 'body'
    const message = row.failure_message ?? ''
    // The only limit that is checked there counts by days in UTC.
    const wait = row.failure_code === 'rate_limited' ? secondsToMidnight(Date.now()) : undefined
    throw new Refusal(row.failure_code, message, [{ field, message }], wait)
  }
  return {
    notification_id: row.notification_id!,
    status: 'accepted',
    duplicate: row.outcome === 'duplicate',
    ...(row.failure_message !== null && {
      warnings: [{ code: 'unknown_type', detail: row.failure_message }],
    }),
  }
}

const DAY_MS = 86_400_000
const secondsToMidnight = (nowMs: number): number => Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000)

function toRefusal(error: unknown): unknown {
  // The payload is valid JSON, but PostgreSQL cannot hold it: a number is too large or the nesting too deep.
  if (!isValueError(error)) return error
  const { message } = error as Error
  return new Refusal('invalid_payload', `payload: ${message}.`, [{ field: 'payload', message }])
}
