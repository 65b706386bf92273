import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, NEXT_PAGE, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import {
  countRoutes,
  selectAttempts,
  selectLetters,
  selectRecordRoutes,
  selectRecords,
  selectRoutes,
} from './queries.ts'

const full = useFullDatabase()
const tenant = () => full.tenantId
const recent = { created_after: new Date(Date.now() - 3_600_000).toISOString() }
const records = (filter: object) => (db: Pool) => selectRecords(db, tenant(), { ...PAGE, ...filter })
const routes = (filter: object) => (db: Pool) => selectRoutes(db, tenant(), { ...PAGE, ...filter })

describePlans(full, [
  ['S000-30 records', 'records_listing', records({})],
  ['S000-30 the next page of records', 'records_listing', records(NEXT_PAGE)],
  ['S002-8 records by type', 'records_listing', records({ notification_type: 't1' })],
  ['S002-8 records of a time', 'records_listing', records({ accepted_after: '2026-01-01T00:00:00Z' })],
  ['S002-33 S002-9 records by key', 'records_idempotency_key', records({ idempotency_key: 'k7' })],
  ['S000-30 routes', 'routes_pkey', routes({})],
  ['S000-30 the next page of routes', 'routes_pkey', routes({ after: [UUID, 'r'] })],
  ['S002-9 dead routes', 'routes_status', routes({ status: 'dead' })],
  ['S002-9 sent routes', 'routes_pkey', routes({ status: 'sent' })],
  ['S002-9 pending routes', 'routes_due', routes({ status: 'pending' })],
  ['S002-9 routes of a channel', 'routes_pkey', routes({ channel: 'push' })],
  ['S002-9 a user’s routes', 'routes_user', routes({ user_id: 'u1' })],
  [
    'S002-33 S002-9 a user’s routes by type',
    'routes_user',
    routes({ user_id: 'u1', notification_type: 't1' }),
  ],
  ['S002-33 S002-9 a user’s routes by status', 'routes_user', routes({ user_id: 'u1', status: 'sent' })],
  ['S002-33 S002-9 dead routes of an hour', 'routes_status', routes({ status: 'dead', ...recent })],
  ['S002-33 S002-9 sent routes of an hour', 'routes_pkey', routes({ status: 'sent', ...recent })],
  ['S002-33 S002-9 digests opened before an hour', 'digests_opened_early', routes({ ...recent })],
  ['S002-33 S002-9 pending routes of an hour', 'routes_(due|pkey)', routes({ status: 'pending', ...recent })],
  ['S000-30 one record’s routes', 'routes_pkey', db => selectRecordRoutes(db, tenant(), UUID, PAGE)],
  ['S000-30 one record’s counts', 'routes_pkey', db => countRoutes(db, tenant(), UUID)],
  ['S000-30 attempts', 'route_attempts_pkey', db => selectAttempts(db, tenant(), UUID, ['r'])],
  [
    'S002-33 dead letters of a notification',
    'dead_letters_(route|one_open)',
    db => selectLetters(db, tenant(), UUID, ['r']),
  ],
])
