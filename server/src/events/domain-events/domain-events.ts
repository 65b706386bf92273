/** Domain events: reading the log. Writing it is in append.ts. */
import type { DomainEvent } from '@carillon/contract'
import { notFound } from '../../platform/calls/refusal.ts'
import type { Executor } from '../../platform/database/pool.ts'
import {
  type DomainEventRow,
  selectEvent,
  selectFirstUnordered,
  selectLog,
  selectUnorderedTenants,
} from './queries.ts'

export type { DomainEventRow }

export async function getEvent(db: Executor, tenantId: string, eventId: string): Promise<DomainEvent> {
  const row = await selectEvent(db, tenantId, eventId)
  if (row === undefined) throw notFound(`event ${eventId}`)
  return toDomainEvent(row)
}

/** One event that may have been deleted by now. */
export function findEvent(
  db: Executor,
  tenantId: string,
  eventId: string,
): Promise<DomainEventRow | undefined> {
  return selectEvent(db, tenantId, eventId)
}

/** The first event without a place of tenants that have one, for whoever looks after the orderer. */
export async function findUnordered(
  db: Executor,
  limit: number,
): Promise<{ tenant_id: string; event_id: string }[]> {
  return selectFirstUnordered(db, await selectUnorderedTenants(db, undefined, limit))
}

/** The next events after a place in the log, in its order. */
export function readLog(
  db: Executor,
  tenantId: string,
  after: number,
  limit: number,
): Promise<(DomainEventRow & { id: number })[]> {
  return selectLog(db, tenantId, after, limit)
}

export function toDomainEvent(row: DomainEventRow): DomainEvent {
  return {
    event_id: row.event_id,
    id: row.id,
    kind: row.kind,
    producer: row.producer,
    actor_id: row.actor_id,
    topic: row.topic,
    thread:
      row.thread_kind === null
        ? null
        : {
            kind: row.thread_kind,
            id: row.thread_id!,
            title: row.thread_title,
            url: row.thread_url,
            author_id: row.thread_author_id,
          },
    source_kind: row.source_kind,
    source_id: row.source_id,
    is_public: row.is_public,
    relations: row.relations,
    payload_json: row.payload_json,
    idempotency_key: row.idempotency_key,
    request_id: row.request_id,
    occurred_at: row.occurred_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}
