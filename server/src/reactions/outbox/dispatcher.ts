/**
 * The dispatcher works through the outbox. Handlers register by source kind, and each target has its own lane, so that
 * one that hangs delays no other. Rows of a kind without a handler here are left for a process that has one.
 */
import { performance } from 'node:perf_hooks'
import type { FailureReason } from '@carillon/contract'
import { type Client, type Pool, transaction } from '../../platform/database/pool.ts'
import { CLAIMED_PER_HANDLED, createLanes, type Demand } from '../../platform/queue/lanes.ts'
import type { Service } from '../../platform/queue/service.ts'
import type { Wake } from '../../platform/queue/wake.ts'
import { createQueueWorker, type QueueTable } from '../../platform/queue/worker.ts'
import { claimRows, extendLeases, laneOf, type OutboxRow, releaseLeases } from './claim.ts'
import { completeRows, type DispatchCompletion } from './complete.ts'
import { decideDispatch, decideLost, decideThrown, decideTooDeep, MAX_TRIGGER_DEPTH } from './decide.ts'
import type { CompletedDispatch, DispatchOutcome, LostEnd, OutboxHandler } from './handler.ts'
import { mergeBatches } from './merge.ts'
import { type Chains, claimFollowers, createChains, putBlockedAside } from './order.ts'

export interface DispatchEvents {
  /** `completed` is false when another dispatcher has taken over the row. */
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
  /** Maximum rows claimed at once, for all targets together. */
  concurrency: number
  leaseSeconds: number
  pollMs: number
  shutdownMs: number
  /** Rows that were caused by a longer chain of dispatches are dropped. */
  maxTriggerDepth?: number
  events: DispatchEvents
}

interface Handled extends CompletedDispatch<unknown> {
  durationMs: number
}

/** It was claimed together with one that failed, and what follows from that has to be stored first. */
const PREDECESSOR_FAILED: DispatchOutcome = {
  kind: 'busy',
  message: 'The one before it did not arrive.',
  delay_ms: 0,
}
const PUT_ASIDE_INTERVAL_MS = 250

export function createDispatcher(options: DispatcherOptions): Service {
  const { events, maxTriggerDepth = MAX_TRIGGER_DEPTH } = options
  const handlers = new Map(options.handlers.map(handler => [handler.sourceKind, handler]))

  const chains = createChains()

  async function handle(row: OutboxRow, signal: AbortSignal): Promise<Handled> {
    const start = performance.now()
    const { completion, details } = (await chains.turnOf(row))
      ? await dispatch(row, signal)
      : { completion: decideDispatch(row, PREDECESSOR_FAILED, 0), details: undefined }
    chains.end(row, completion.action === 'done')
    return { row, completion, details, durationMs: performance.now() - start }
  }

  async function dispatch(row: OutboxRow, signal: AbortSignal) {
    if (row.trigger_depth > maxTriggerDepth)
      return { completion: decideTooDeep(row, maxTriggerDepth), details: undefined }
    const handler = handlers.get(row.source_kind)!
    if (row.attempt_count > row.max_attempts)
      return { completion: decideLost(row, await lostEndOf(handler, row)), details: undefined }
    try {
      const { outcome, details } = await handler.handle(row, signal)
      return { completion: decideDispatch(row, outcome, Math.random()), details }
    } catch (error) {
      const message = `The handler failed unexpectedly: ${(error as Error).message}`
      const end = row.attempt_count < row.max_attempts ? 'dead' : await lostEndOf(handler, row)
      return { completion: decideThrown(row, message, end, Math.random()), details: undefined }
    }
  }

  return createQueueWorker<OutboxRow, Handled>({
    name: 'dispatcher',
    table: createOutboxTable(options, handlers, chains),
    ready: row => chains.turnOf(row),
    lanes: createLanes({
      concurrency: lane => handlers.get(lane.split('/')[1]!)?.maxPerTarget ?? 1,
      ownerOf: lane => lane.split('/')[0]!,
      slots: () => options.concurrency,
    }),
    laneOf,
    handle,
    // The health of an endpoint, for one, counts failures in a row.
    orderOf: ({ row }) => (row.ordering_key === null ? undefined : `${laneOf(row)}/${row.ordering_key}`),
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

async function lostEndOf(handler: OutboxHandler, row: OutboxRow): Promise<LostEnd> {
  try {
    return (await handler.onLost?.(row)) ?? 'dead'
  } catch {
    return 'unknown'
  }
}

/** The bare outcome, which can always be stored. */
function withoutDetails(handled: Handled): Handled {
  const completion = { ...handled.completion, message: 'The answer could not be stored.' }
  return { ...handled, completion, details: undefined }
}

/**
 * After a lease that ran out, a row may have been claimed twice by this process, and both claims end in the same batch:
 * only the last one was completed.
 */
function onlyOurs(all: Handled[], completedIds: Set<string>): Set<Handled> {
  const last = new Map<string, Handled>()
  for (const handled of all) {
    const { tenant_id, id, claim_count } = handled.row
    const row = `${tenant_id}/${id}`
    if (completedIds.has(id) && claim_count >= (last.get(row)?.row.claim_count ?? 0)) last.set(row, handled)
  }
  return new Set(last.values())
}

function createOutboxTable(
  options: DispatcherOptions,
  handlers: Map<string, OutboxHandler>,
  chains: Chains,
): QueueTable<OutboxRow, Handled> {
  const { pool, owner, leaseSeconds, events } = options
  let lastPutAsideMs = 0

  /** How many rows each new target may have claimed at once. Without any kind, the statement looks for none. */
  function slotsByKind(demand: Demand): Record<string, number> {
    if (!demand.findsNew) return {}
    const free = demand.freeForNewcomer('')
    return Object.fromEntries(
      [...handlers].map(([kind, { maxPerTarget }]) => [
        kind,
        Math.min(free, maxPerTarget * CLAIMED_PER_HANDLED),
      ]),
    )
  }

  async function complete(dispatches: Handled[]): Promise<boolean[]> {
    const completions = dispatches.map(({ completion }) => completion)
    // If no handler records anything, the one statement needs no transaction around it.
    const ours = dispatches.some(({ row }) => handlers.get(row.source_kind)?.record !== undefined)
      ? await transaction(pool, async tx => {
          const completed = onlyOurs(dispatches, await completeRows(tx, owner, completions))
          await record(tx, [...completed])
          return completed
        })
      : onlyOurs(dispatches, await completeRows(pool, owner, completions))
    for (const { row, completion } of ours) {
      if (completion.failure_reason !== null)
        events.onDead(row.tenant_id, row.source_kind, completion.failure_reason, row.trigger_depth)
    }
    return dispatches.map(handled => ours.has(handled))
  }

  async function record(tx: Client, dispatches: Handled[]): Promise<void> {
    for (const [kind, handler] of handlers) {
      const ofKind = dispatches.filter(({ row }) => row.source_kind === kind)
      if (ofKind.length > 0) await handler.record?.(tx, ofKind)
    }
  }

  return {
    async claim(demand, limit) {
      if (Date.now() - lastPutAsideMs >= PUT_ASIDE_INTERVAL_MS) {
        lastPutAsideMs = Date.now()
        await putBlockedAside(pool)
      }
      const rows = await claimRows(pool, demand.lanes, slotsByKind(demand), limit, owner, leaseSeconds)
      const handlerOf = (row: OutboxRow) => handlers.get(row.source_kind)
      const items = await mergeBatches(pool, owner, rows, handlerOf, error => events.onError(error, 'merge'))
      // Without those behind them, the rows that have been claimed can go out all the same.
      const followed = await claimFollowers(pool, items, owner, leaseSeconds).catch(error => {
        events.onError(error, 'claim')
        return []
      })
      for (const chain of followed) chains.add(chain)
      return [...items, ...followed.flatMap(chain => chain.slice(1))]
    },
    complete,
    extend: rows => extendLeases(pool, rows, owner, leaseSeconds),
    release: () => releaseLeases(pool, owner),
  }
}
