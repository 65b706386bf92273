/** The interface of a handler for one source kind; the dispatcher knows nothing else about it. */
import type { Client } from '../../platform/database/pool.ts'
import type { OutboxRow } from './claim.ts'
import type { DispatchCompletion } from './complete.ts'

export type DispatchOutcome =
  | { kind: 'done' }
  /** It may work later, but not before `retry_after_ms`, if the receiver asked for that. */
  | { kind: 'retry'; message: string; retry_after_ms?: number }
  /** It will not work later either. */
  | { kind: 'permanent'; message: string }
  /** The target does not exist any more. */
  | { kind: 'missing'; message: string }
  /** It has to wait for a free slot, which uses no attempt. */
  | { kind: 'busy'; message: string; delay_ms: number }
  /** It failed, but nobody is to deal with it any more: no other attempt and no dead letter. */
  | { kind: 'drop'; message: string }

export interface HandlerResult<Details> {
  outcome: DispatchOutcome
  /** What `record` needs to store about it. */
  details?: Details
}

/** A dispatch that is being completed. */
export interface CompletedDispatch<Details> {
  row: OutboxRow
  completion: DispatchCompletion
  /** undefined if the handler gave none, failed, or was not asked. */
  details: Details | undefined
}

/**
 * `done` is for what a worker had finished before it died and could say so; `unknown` for when that cannot be found out
 * now, and has to be asked again.
 */
export type LostEnd = 'dead' | 'drop' | 'done' | 'unknown'

export interface OutboxHandler<Details = unknown> {
  sourceKind: string
  /** Maximum rows of one target being handled at once, per process. */
  maxPerTarget: number
  handle(row: OutboxRow, signal: AbortSignal): Promise<HandlerResult<Details>>
  /** Stores what belongs to the outcomes, in the transaction that completes the rows. */
  record?(tx: Client, dispatches: CompletedDispatch<Details>[]): Promise<void>
  /**
   * What becomes of a row whose attempts were used up by workers that died, or by a handler that threw: a dead letter,
   * unless this says otherwise. `record` is told either way.
   */
  onLost?(row: OutboxRow): LostEnd | Promise<LostEnd>
  /** Combines the payloads and contexts of rows that may be sent as one. */
  merge?(rows: OutboxRow[]): Pick<OutboxRow, 'payload' | 'context'>
}
