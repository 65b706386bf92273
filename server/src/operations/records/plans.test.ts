import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, NEXT_PAGE, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectRecords, selectRecordsOfEvent } from './queries.ts'

const full = useFullDatabase()
const records = (filter: object) => (db: Pool) => selectRecords(db, full.tenantId, { ...PAGE, ...filter })

describePlans(full, [
  ['S000-30 records', 'records_listing', records({})],
  ['S000-30 the next page of records', 'records_listing', records(NEXT_PAGE)],
  ['S002-8 records by type', 'records_listing', records({ notification_type: 't1' })],
  ['S002-8 records of a time', 'records_listing', records({ accepted_after: '2026-01-01T00:00:00Z' })],
  ['S002-33 S002-9 records by key', 'records_idempotency_key', records({ idempotency_key: 'k7' })],
  ['the records of an event', 'records_event', db => selectRecordsOfEvent(db, full.tenantId, UUID)],
])
