/** What a reader needs of a stream, whichever server it is on. */
import type { StreamEntry } from './entry.ts'

export interface Lag {
  /** Entries that are neither accepted nor kept as malformed yet; null: the server does not say. */
  waiting: number | null
  /** When the oldest of them was added; null: there is none, or the server does not say. */
  oldestAt: Date | null
}

export interface StreamSource {
  /** Connects and makes sure of the consumer group; called again after every failure. */
  prepare(): Promise<void>
  /** Waits a while for entries and hands them over as they come, `most` at most. */
  read(most: number, take: (entries: StreamEntry[]) => void): Promise<void>
  /** From now on the server need not keep them for us. Only what is committed may be acknowledged. */
  acknowledge(entries: StreamEntry[]): Promise<void>
  /** They are still at work here, so nobody else should get them. */
  keep(entries: StreamEntry[]): Promise<void>
  /** Somebody else may have them at once. */
  giveBack(entries: StreamEntry[]): Promise<void>
  lag(): Promise<Lag>
  close(): Promise<void>
}

/** How long a read waits for entries, and so how long a pause takes at most until it is noticed. */
export const READ_WAIT_MS = 500
