import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, NEXT_PAGE, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectRecords } from './list-queries.ts'
import { selectRecordsOfEvent } from './queries.ts'

const full = useFullDatabase()
const records = (filter: object) => (db: Pool) => selectRecords(db, full.tenantId, { ...PAGE, ...filter })

const IN_2040 = '2040-01-01T00:00:00Z'

describePlans(full, [
  ['records', 'records_listing', records({}), ['S000-30']],
  ['the next page of records', 'records_listing', records(NEXT_PAGE), ['S000-30']],
  ['records by type', 'records_type', records({ notification_type: 't1' }), ['S002-8']],
  ['records of a type that was never sent', 'records_type', records({ notification_type: 'never' })],
  [
    'records of a type that another producer sends',
    'records_type',
    records({ notification_type: 't1', producer: 'p2' }),
  ],
  [
    'sent records of a type that was never sent',
    'records_type',
    records({ notification_type: 'never', status: 'sent' }),
  ],
  ['records of a time', 'records_listing', records({ accepted_after: '2026-01-01T00:00:00Z' }), ['S002-8']],
  ['records by key', 'records_idempotency_key', records({ idempotency_key: 'k7' }), ['S002-33', 'S002-9']],
  ['records of a person', 'routes_user', records({ user_id: 'u7' })],
  ['records of a person and a time', 'routes_user', records({ user_id: 'u7', accepted_before: IN_2040 })],
  ['records of a person in a status', 'routes_(user|status)', records({ user_id: 'u7', status: 'dead' })],
  ['records with dead routes', 'routes_status', records({ status: 'dead' })],
  ['the next page of those', 'routes_status', records({ status: 'dead', ...NEXT_PAGE })],
  [
    'records of a type with dead routes',
    'routes_status',
    records({ status: 'dead', notification_type: 't1' }),
  ],
  [
    'records of a type that never had dead routes',
    'records_type',
    records({ status: 'dead', notification_type: 't7' }),
  ],
  ['records of a producer', 'records_listing', records({ producer: 'p1' })],
  ['records of a producer that sent none', 'records_producer', records({ producer: 'none' })],
  ['records of a producer with dead routes', 'routes_status', records({ producer: 'p1', status: 'dead' })],
  [
    'records with dead routes of a producer that sent none',
    'records_producer',
    records({ producer: 'none', status: 'dead' }),
  ],
  ['records of a type of a person', 'routes_user', records({ user_id: 'u7', notification_type: 't7' })],
  ['records with skipped routes, of which there are none', 'routes_status', records({ status: 'skipped' })],
  ['records with sent routes', 'routes_pkey', records({ status: 'sent' })],
  ['the next page of those', 'routes_pkey', records({ status: 'sent', ...NEXT_PAGE })],
  ['records with pending routes', 'routes_(due|pkey)', records({ status: 'pending' })],
  ['records by event', 'records_event', records({ event_id: UUID, user_id: 'u7' })],
  [
    'records of a key and a person',
    'records_idempotency_key',
    records({ idempotency_key: 'k7', user_id: 'u7' }),
  ],
  ['the records of an event', 'records_event', db => selectRecordsOfEvent(db, full.tenantId, UUID)],
])
