/** The interface of whoever reads the log of events; the loop that calls it knows nothing else about it. */
import type { Client, Executor } from '../../platform/database/pool.ts'
import type { DomainEventRow } from '../domain-events/domain-events.ts'

/** An event that has its place in the log. */
export type LoggedEvent = DomainEventRow & { id: number }

export interface EventConsumer<Prepared = unknown> {
  /** One of event_consumers() in SQL: tenants have a cursor for each. */
  readonly name: string
  /** Of these events, the ids of those that it has anything to do for; without it, all. One query for many events. */
  wanted?(db: Executor, tenantId: string, events: LoggedEvent[]): Promise<Set<string>>
  /** Whether `prepare` has anything to do for this tenant; without it, always if there is a `prepare`. */
  prepares?(tenantId: string): Promise<boolean>
  /** Runs outside the transaction, for questions to others. If it throws, the event has failed. */
  prepare?(event: LoggedEvent, chunkCursor: string): Promise<Prepared>
  /**
   * Does what the event asks for, or a part of it, in the transaction that moves the cursor. Gives where to continue, or
   * undefined when the event is done. It is called again for an event that is done already when an operator resets the
   * cursor or replays a dead letter, and must not do anything twice then.
   */
  handle(
    tx: Client,
    event: LoggedEvent,
    chunkCursor: string,
    prepared: Prepared | undefined,
  ): Promise<string | undefined>
  /** After the commit of something that it did for the tenant. */
  onCommitted?(tenantId: string): void
}
