/** What people and programs look up, with many rows in every table: does each query use its index? */
import { beforeAll, describe, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fillDatabase, ROWS } from '../../../test/full-database.ts'
import { expectIndex, type PlanCase } from '../../../test/plans.ts'
import { selectAttempts } from '../../delivery/routes/attempts.ts'
import { countRoutes, selectRecordRoutes, selectRoutes } from '../../delivery/routes/list.ts'
import { selectMalformedIntents } from '../../intake/intents/queries.ts'
import { selectSchedules } from '../../intake/schedules/queries.ts'
import { selectRecords } from '../../operations/records/queries.ts'
import { useApiKey } from '../../oversight/api-keys/queries.ts'
import { selectSystemEvents } from '../../oversight/system-events/queries.ts'
import { upsertSends } from '../../people/daily-caps/earlier-sends.ts'
import { selectOptOuts, selectPreferences } from '../../people/preferences/queries.ts'
import { selectUsers } from '../../people/users/queries.ts'
import { selectAudienceChunk } from '../../planning/expansions/queries.ts'
import { selectCapturedMessages } from '../../providers/captured-messages/captured-messages.ts'
import {
  countOpenDeadLetters,
  lockMatchingIds,
  selectDeadLetters,
  selectLettersOfRoutes,
} from '../../reactions/dead-letters/queries.ts'
import type { Client, Pool } from './pool.ts'

const carillon = useCarillon()

beforeAll(() =>
  fillDatabase(carillon.pool, carillon.tenantId, [
    'users',
    'notification_preferences',
    'watches',
    'api_keys',
    'records',
    'routes',
    'route_attempts',
    'dead_letters',
    'malformed_intents',
    'captured_messages',
    'digests',
    'admin_system_events',
    'schedules',
  ]),
)

const UUID = '01900000-0000-7000-8000-000000000000'
const page = { after: undefined, limit: 21 }
const next = { after: ['2026-01-01T00:00:00Z', UUID], limit: 21 }
const recent = { created_after: new Date(Date.now() - 3_600_000).toISOString() }
const tenant = () => carillon.tenantId
const records = (filter: object) => (db: Pool) => selectRecords(db, tenant(), { ...page, ...filter })
const routes = (filter: object) => (db: Pool) => selectRoutes(db, tenant(), { ...page, ...filter })
const letters = (state: 'open' | 'resolved' | 'all') => (db: Pool) =>
  selectDeadLetters(db, tenant(), { filter: {}, state, ...page })
const users = (filter: object) => (db: Pool) =>
  selectUsers(db, tenant(), { afterId: '', limit: 21, ...filter })
const captured = (filter: object) => (db: Pool) =>
  selectCapturedMessages(db, tenant(), { ...page, ...filter })
const chunk = (audience_kind: string) => (db: Pool) => {
  const expansion = { tenant_id: tenant(), notification_id: UUID, cursor: 'u1', audience_kind, topic: 't1' }
  return selectAudienceChunk(db as unknown as Client, expansion, 100)
}
const replay = (db: Pool) => lockMatchingIds(db as unknown as Client, tenant(), { channel: 'email' }, 100)
const sends = (db: Pool) =>
  upsertSends(db, tenant(), 'u1', [{ channel: 'email', day: '2026-01-01', midnight: new Date(0) }])
const optOuts = (db: Pool) => selectOptOuts(db, tenant(), 'email', '', 21)
const events = (db: Pool) =>
  selectSystemEvents(db, tenant(), { wholeInstance: false, resolved: null, ...page })

const CASES: PlanCase[] = [
  ['S002-33 a user by address', 'users_email_key', users({ email: 'U7@x.io' })],
  ['S002-33 a user by name', 'users_username_key', users({ username: 'name7' })],
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
  ['S002-33 S002-9 records by key', 'records_idempotency_key', records({ idempotency_key: 'k7' })],
  [
    'S002-33 dead letters of a notification',
    'dead_letters_(route|one_open)',
    db => selectLettersOfRoutes(db, tenant(), UUID, ['r']),
  ],
  ['S002-33 dead letters by time', 'dead_letters_listing', letters('all')],
  ['S002-33 open dead letters', 'dead_letters_open', letters('open')],
  ['S002-33 resolved dead letters', 'dead_letters_listing', letters('resolved')],
  [
    'S002-33 a user’s preferences',
    'notification_preferences_pkey',
    db => selectPreferences(db, tenant(), 'u1'),
  ],
  ['S002-19 what went out before a cap', 'routes_user', sends],
  ['S002-33 who switched off', 'notification_preferences_enabled', optOuts],
  ['S002-33 a key by its hash', 'api_keys_key_hash_key', db => useApiKey(db, 'a'.repeat(64))],
  ['S000-30 records', 'records_listing', records({})],
  ['S000-30 the next page of records', 'records_listing', records(next)],
  ['S002-8 records by type', 'records_listing', records({ notification_type: 't1' })],
  ['S002-8 records of a time', 'records_listing', records({ accepted_after: '2026-01-01T00:00:00Z' })],
  ['S000-30 routes', 'routes_pkey', routes({})],
  ['S000-30 the next page of routes', 'routes_pkey', routes({ after: [UUID, 'r'] })],
  ['S002-9 dead routes', 'routes_status', routes({ status: 'dead' })],
  ['S002-9 sent routes', 'routes_pkey', routes({ status: 'sent' })],
  ['S002-9 pending routes', 'routes_due', routes({ status: 'pending' })],
  ['S002-9 routes of a channel', 'routes_pkey', routes({ channel: 'push' })],
  ['S002-9 a user’s routes', 'routes_user', routes({ user_id: 'u1' })],
  ['S000-30 one record’s routes', 'routes_pkey', db => selectRecordRoutes(db, tenant(), UUID, page)],
  ['S000-30 one record’s counts', 'routes_pkey', db => countRoutes(db, tenant(), UUID)],
  ['S000-30 attempts', 'route_attempts_pkey', db => selectAttempts(db, tenant(), UUID, ['r'])],
  ['S003-22 the count of open letters', 'dead_letters_(one_)?open', db => countOpenDeadLetters(db, tenant())],
  ['S002-11 the bulk replay', 'dead_letters_open', replay],
  ['S000-30 malformed', 'malformed_intents_listing', db => selectMalformedIntents(db, tenant(), page)],
  ['S000-30 captured messages', 'captured_messages_listing', captured({})],
  ['S000-30 those of a record', 'captured_messages_record', captured({ notification_id: UUID })],
  ['S004-18 system events', 'admin_system_events_(tenant|listing)', events],
  ['schedules', 'schedules_(listing|pkey)', db => selectSchedules(db, tenant(), page)],
  ['S000-10 a chunk of all users', 'users_pkey', chunk('tenant')],
  ['S000-10 a chunk of a topic', 'watches_pkey', chunk('topic')],
]

describe(`with ${ROWS} rows in every table`, () => {
  it.each(CASES)('%s: uses %s and reads few pages', (_name, index, call) =>
    expectIndex(carillon.pool, index, call),
  )
})
