import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { CheckedEvent } from './event.ts'
import {
  appendEvents,
  orderEvents,
  selectEvent,
  selectEventIdByKey,
  selectEvents,
  selectFirstUnordered,
  selectLog,
  selectUnorderedTenants,
} from './queries.ts'

const full = useFullDatabase()
const list = (filter: object, after?: string[]) => (db: Parameters<typeof selectEvents>[0]) =>
  selectEvents(db, full.tenantId, { filter, after, limit: 21 })
const anEvent = (): CheckedEvent => ({
  ...{ tenant_id: full.tenantId, kind: 'k', producer: 'p1', actor_id: 'u1', topic: 't1', thread: null },
  ...{ source_kind: null, source_id: null, is_public: true, relations: null, payload_json: '{}' },
  ...{ idempotency_key: 'key 1', request_id: '', traceparent: '', occurred_at: null },
})

describePlans(full, [
  ['one event', 'domain_events_pkey', db => selectEvent(db, full.tenantId, UUID)],
  [
    'the event that took a key',
    'domain_events_key',
    db => selectEventIdByKey(db, full.tenantId, 'p1', 'key 1'),
  ],
  ['events', 'domain_events_pkey', list({})],
  ['further events', 'domain_events_pkey', list({}, [UUID])],
  ['events of a kind', 'domain_events_kind', list({ kind: 'k7' })],
  ['events of a topic', 'domain_events_topic', list({ topic: 't7' })],
  ['events of a thread', 'domain_events_thread', list({ thread_kind: 'issue', thread_id: '7' })],
  ['events of an actor', 'domain_events_actor', list({ actor_id: 'u7' })],
  ['the next events of the log', 'domain_events_log', db => selectLog(db, full.tenantId, 90_000, 200)],
  [
    'tenants with events out of order',
    'domain_events_unordered',
    db => selectUnorderedTenants(db, undefined, 50),
  ],
  [
    'the first event out of order',
    'domain_events_unordered',
    db => selectFirstUnordered(db, [full.tenantId]),
  ],
  ['putting events in order', 'domain_events_unordered', db => orderEvents(db, full.tenantId, 5)],
  [
    'writing events',
    'domain_events_key',
    db => appendEvents(db, [anEvent(), { ...anEvent(), kind: 'other' }]),
  ],
])
