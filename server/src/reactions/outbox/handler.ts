/** What a handler of one source kind has to say. The dispatcher knows nothing else about it. */
import type { Client } from '../../platform/database/pool.ts'
import type { OutboxRow } from './claim.ts'
import type { DispatchCompletion } from './complete.ts'

export type DispatchOutcome =
  | { kind: 'done' }
  /** It may work later. The receiver's own wish is never undercut. */
  | { kind: 'retry'; message: string; retry_after_ms?: number }
  /** It will not work later either. */
  | { kind: 'permanent'; message: string }
  /** There is nobody to give it to any more. */
  | { kind: 'missing'; message: string }
  /** No free slot now: later, without using an attempt. */
  | { kind: 'busy'; message: string; delay_ms: number }

export interface Dispatched<Note> {
  outcome: DispatchOutcome
  /** For `record`. */
  note?: Note
}

/** A dispatch whose completion is stored in the same transaction. */
export interface Settled<Note> {
  row: OutboxRow
  completion: DispatchCompletion
  note: Note | undefined
}

export interface OutboxHandler<Note = unknown> {
  sourceKind: string
  /** Most rows of one target at a time, per process. */
  perTarget: number
  handle(row: OutboxRow, signal: AbortSignal): Promise<Dispatched<Note>>
  /** Stores what belongs to the outcomes, within the transaction that completes the rows. */
  record?(tx: Client, settled: Settled<Note>[]): Promise<void>
  /** Makes one row's payload and context of several; for rows that may go out together. */
  merge?(rows: OutboxRow[]): Pick<OutboxRow, 'payload' | 'context'>
}
