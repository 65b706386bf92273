/**
 * The dispatcher: the queue of everything that happens afterwards. Handlers register by source kind; each target is a
 * lane of its own, so one that hangs delays nobody else. What no handler here knows stays for a process that does.
 */
import { performance } from 'node:perf_hooks'
import type { FailureReason } from '@carillon/contract'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { CLAIMED_PER_HANDLED, createLanes } from '../../platform/queue/lanes.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { createQueueWorker, type QueueTable } from '../../platform/queue/worker.ts'
import { claimRows, extendLeases, laneOf, type OutboxRow, releaseLeases } from './claim.ts'
import { completeRows, type DispatchCompletion } from './complete.ts'
import { decideDispatch, decideLost, decideTooDeep } from './decide.ts'
import type { OutboxHandler, Settled } from './handler.ts'
import { mergeBatches } from './merge.ts'
import { putBlockedAside } from './order.ts'

export interface DispatchEvents {
  /** `completed` is false when another dispatcher had taken the row over. */
  onDispatched: (
    row: OutboxRow,
    completion: DispatchCompletion,
    completed: boolean,
    durationMs: number,
  ) => void
  onDead: (tenantId: string, sourceKind: string, reason: FailureReason, depth: number) => void
  onError: (error: unknown, doing: string) => void
}

export interface DispatcherOptions {
  pool: Pool
  owner: string
  handlers: OutboxHandler[]
  wake: Wake
  /** Most rows in hand altogether. */
  concurrency: number
  leaseSeconds: number
  pollMs: number
  shutdownMs: number
  /** Rows caused by a longer chain of dispatches are dropped. */
  deepest?: number
  events: DispatchEvents
}

interface Handled extends Settled<unknown> {
  durationMs: number
}

const DEEPEST = 8
const ORDER_MS = 250

export function createDispatcher(options: DispatcherOptions): Service {
  const { events, deepest = DEEPEST } = options
  const handlers = new Map(options.handlers.map(handler => [handler.sourceKind, handler]))

  async function handle(row: OutboxRow, signal: AbortSignal): Promise<Handled> {
    const start = performance.now()
    const { completion, note } = await dispatch(row, signal)
    return { row, completion, note, durationMs: performance.now() - start }
  }

  async function dispatch(row: OutboxRow, signal: AbortSignal) {
    if (row.trigger_depth > deepest) return { completion: decideTooDeep(row, deepest), note: undefined }
    if (row.attempt_count > row.max_attempts) return { completion: decideLost(row), note: undefined }
    try {
      const { outcome, note } = await handlers.get(row.source_kind)!.handle(row, signal)
      return { completion: decideDispatch(row, outcome, Math.random()), note }
    } catch (error) {
      const message = `The handler failed unexpectedly: ${(error as Error).message}`
      return { completion: decideDispatch(row, { kind: 'retry', message }, Math.random()), note: undefined }
    }
  }

  return createQueueWorker<OutboxRow, Handled>({
    name: 'dispatcher',
    table: createOutboxTable(options, handlers),
    lanes: createLanes({
      concurrency: lane => handlers.get(lane.split('/')[1]!)?.perTarget ?? 1,
      total: options.concurrency,
    }),
    laneOf,
    handle,
    withoutDetails,
    isOverloaded: ({ completion }) => completion.action === 'retry' && completion.uses_attempt,
    wake: options.wake,
    leaseSeconds: options.leaseSeconds,
    pollMs: options.pollMs,
    shutdownMs: options.shutdownMs,
    onHandled: (row, { completion, durationMs }, completed) =>
      events.onDispatched(row, completion, completed, durationMs),
    onError: events.onError,
  })
}

/** The outcome alone is always storable. */
function withoutDetails(handled: Handled): Handled {
  const completion = { ...handled.completion, message: 'The answer could not be stored.' }
  return { ...handled, completion, note: undefined }
}

/**
 * After a lease that ran out, a row may have been claimed twice by this process, and both claims end in the same batch:
 * only the last one was completed.
 */
function onlyOurs(all: Handled[], completedIds: Set<string>): Set<Handled> {
  const last = new Map<string, Handled>()
  for (const handled of all) {
    const { id, claim_count } = handled.row
    if (completedIds.has(id) && claim_count >= (last.get(id)?.row.claim_count ?? 0)) last.set(id, handled)
  }
  return new Set(last.values())
}

function createOutboxTable(
  options: DispatcherOptions,
  handlers: Map<string, OutboxHandler>,
): QueueTable<OutboxRow, Handled> {
  const { pool, owner, leaseSeconds, events } = options
  const places = Object.fromEntries(
    [...handlers].map(([kind, { perTarget }]) => [kind, perTarget * CLAIMED_PER_HANDLED]),
  )
  let lastOrdered = 0

  async function complete(all: Handled[]): Promise<boolean[]> {
    const completions = all.map(({ completion }) => completion)
    // Handlers that store nothing need no transaction around the one statement.
    const ours = all.some(({ row }) => handlers.get(row.source_kind)?.record !== undefined)
      ? await transaction(pool, async tx => {
          const completed = onlyOurs(all, await completeRows(tx, owner, completions))
          await record(tx, [...completed])
          return completed
        })
      : onlyOurs(all, await completeRows(pool, owner, completions))
    for (const { row, completion } of ours) {
      if (completion.failure_reason !== null)
        events.onDead(row.tenant_id, row.source_kind, completion.failure_reason, row.trigger_depth)
    }
    return all.map(handled => ours.has(handled))
  }

  async function record(tx: Client, all: Handled[]): Promise<void> {
    for (const [kind, handler] of handlers) {
      const settled = all.filter(({ row }) => row.source_kind === kind)
      if (settled.length > 0) await handler.record?.(tx, settled)
    }
  }

  return {
    async claim(demand, limit) {
      if (Date.now() - lastOrdered >= ORDER_MS) {
        lastOrdered = Date.now()
        await putBlockedAside(pool)
      }
      const rows = await claimRows(pool, demand, places, limit, owner, leaseSeconds)
      const handlerOf = (row: OutboxRow) => handlers.get(row.source_kind)
      return mergeBatches(pool, owner, rows, handlerOf, error => events.onError(error, 'merge'))
    },
    complete,
    extend: rows => extendLeases(pool, rows, owner, leaseSeconds),
    release: () => releaseLeases(pool, owner),
  }
}
