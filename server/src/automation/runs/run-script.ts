/**
 * Runs a script and stores what came of it. If somebody changed meanwhile what it had read, it runs again from the start,
 * so that reading a counter and writing it back is exact, however many runs do so at once.
 */
import type { RunFailure, RunLogLine } from '@carillon/contract'
import { uuidv7 } from 'uuidv7'
import { isUnavailableError } from '../../platform/database/errors.ts'
import type { HttpClient } from '../../platform/outgoing/http-client.ts'
import type { Turns } from '../../platform/queue/turns.ts'
import type { Sandbox } from '../../platform/sandbox/sandbox.ts'
import { laneOf, type OutboxRow } from '../../reactions/outbox/claim.ts'
import { getEntry } from '../kv/kv.ts'
import { type Execution, executeScript } from '../scripts/execute.ts'
import { createScriptFetch } from '../scripts/fetch.ts'
import { type CommitParts, commitRun, type RunToStore } from './commit.ts'
import { inboxOf, originOf } from './outbox-row.ts'
import type { Places } from './places.ts'
import type { Prepared } from './prepare.ts'

export interface RunParts extends CommitParts {
  sandbox: Sandbox
  http: HttpClient
  /**
   * By trigger: once two runs of one got in each other's way, they run one after the other for as long as any waits. All at
   * once, each round would let one of them through and throw away the work of the others.
   */
  turns: Turns
  places: Places
  /** A run that is made again because what it read had changed. */
  onRepeated: (row: OutboxRow) => void
}

export interface FailedRun {
  kind: 'failed'
  failure: RunFailure
  message: string
  logs: RunLogLine[]
  durationMs: number
  cpuMs: number
}

export type Ran =
  | { kind: 'stored'; hasEffects: boolean; durationMs: number }
  | { kind: 'taken_over' }
  /** There is no place for it now. */
  | { kind: 'busy'; message: string; delayMs: number }
  /** Something happened to us and not to the script: it begins anew, here or elsewhere. */
  | { kind: 'interrupted'; message: string; delayMs: number }
  | FailedRun

const MAX_REPEATS = 5
/** Somewhere in between, so that those who wait do not come back all at once. */
const BUSY_MS = { least: 200, most: 1000 }
/** Who keeps a lock for longer than a moment may do so for minutes. */
const LOCKED_MS = { least: 1000, most: 3000 }
const DATABASE_AWAY_MS = 1000
/** What an HTTP caller gets is a whole answer, not a note in a log. */
const MAX_ANSWER_BYTES = 256 * 1024

export async function runScript(
  parts: RunParts,
  row: OutboxRow,
  work: Prepared,
  signal: AbortSignal,
): Promise<Ran> {
  const lane = laneOf(row)
  let endTurn = parts.turns.isTaken(lane) ? await parts.turns.take(lane) : undefined
  try {
    for (let repeats = 0; repeats <= MAX_REPEATS; repeats++) {
      if (repeats > 0) parts.onRepeated(row)
      const ran = await runOnce(parts, row, work, signal)
      if (ran.kind !== 'conflict') return ran
      endTurn ??= await parts.turns.take(lane)
    }
    return later('What the script reads is changed by others again and again.')
  } finally {
    endTurn?.()
  }
}

async function runOnce(
  parts: RunParts,
  row: OutboxRow,
  work: Prepared,
  signal: AbortSignal,
): Promise<Ran | { kind: 'conflict' }> {
  const { execution, unavailable } = await execute(parts, row, work, signal)
  if (unavailable) return databaseAway()
  if (execution.kind === 'busy') return later('Every thread that runs scripts is in use.')
  if (execution.kind === 'failed') return signal.aborted ? stopped() : failed(execution, execution)
  return store(parts, row, work, execution)
}

async function execute(parts: RunParts, row: OutboxRow, work: Prepared, signal: AbortSignal) {
  let unavailable = false
  const readKv = async (collection: string, key: string) => {
    try {
      return await getEntry(parts.pool, row.tenant_id, collection, key)
    } catch (error) {
      unavailable ||= isUnavailableError(error)
      throw error
    }
  }
  const execution = await executeScript(parts.sandbox, {
    tenantId: row.tenant_id,
    script: work.script,
    event: work.event,
    actor: work.actor,
    allowsProducer: work.actor.allowsProducer,
    readKv,
    fetch: createScriptFetch({ http: parts.http, isAllowed: async () => work.mayFetch }),
    ...(row.source_kind === 'http' && inboxOf(row) !== undefined && { maxResultBytes: MAX_ANSWER_BYTES }),
    signal,
  })
  return { execution, unavailable }
}

type Done = Extract<Execution, { kind: 'done' }>

async function store(
  parts: RunParts,
  row: OutboxRow,
  work: Prepared,
  execution: Done,
): Promise<Ran | { kind: 'conflict' }> {
  const id = uuidv7()
  const run = {
    id,
    tenantId: row.tenant_id,
    eventId: row.id,
    depth: row.trigger_depth + 1,
    actor: work.actor,
    script: work.script,
  }
  const leave = await parts.places.take(row.tenant_id)
  const committed = await commitRun(parts, row, run, toStore(id, row, work, execution), execution).finally(
    leave,
  )
  switch (committed.kind) {
    case 'stored':
      return { kind: 'stored', hasEffects: committed.effects.length > 0, durationMs: execution.durationMs }
    case 'taken_over':
      return committed
    case 'refused':
      return failed(execution, { failure: 'effect_refused', message: committed.message })
    case 'conflict':
      return committed
    case 'locked':
      return later('What the script changes is locked by somebody else.', LOCKED_MS)
  }
}

function toStore(id: string, row: OutboxRow, work: Prepared, execution: Done): RunToStore {
  return {
    ...describeRun(id, row, work),
    status: 'succeeded',
    failure_kind: '',
    error: '',
    logs: execution.logs,
    result_json: execution.resultJson,
    duration_ms: Math.round(execution.durationMs),
    cpu_ms: Math.round(execution.cpuMs),
  }
}

/** What is known of a run before it has ended. */
export function describeRun(id: string, row: OutboxRow, { script, trigger, actor, event }: Prepared) {
  return {
    id,
    tenant_id: row.tenant_id,
    script_id: script.script_id,
    script_name: script.name,
    script_version: script.version,
    trigger_id: trigger?.id ?? null,
    kind: event.kind,
    op: row.op,
    event_id: row.id,
    attempt: row.attempt_count,
    trigger_depth: row.trigger_depth,
    ran_as: actor.ranAs,
    origin: originOf(row),
  }
}

function failed(
  { logs, durationMs, cpuMs }: { logs: RunLogLine[]; durationMs: number; cpuMs: number },
  { failure, message }: Pick<FailedRun, 'message'> & { failure: RunFailure | 'stopped' },
): FailedRun {
  // Stopped, but not with the process: its sandbox was closed under it.
  return {
    kind: 'failed',
    failure: failure === 'stopped' ? 'crashed' : failure,
    message,
    logs,
    durationMs,
    cpuMs,
  }
}

function later(message: string, { least, most } = BUSY_MS): Ran {
  const delayMs = least + Math.random() * (most - least)
  return { kind: 'busy', message, delayMs }
}

function stopped(): Ran {
  return { kind: 'interrupted', message: 'The process that ran it was stopped.', delayMs: 0 }
}

/** Whatever was on its way to the database is stored or not; the row says which when it is claimed again. */
export function databaseAway(): Extract<Ran, { kind: 'interrupted' }> {
  return { kind: 'interrupted', message: 'The database did not answer.', delayMs: DATABASE_AWAY_MS }
}
