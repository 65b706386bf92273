import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../test/carillon.ts'
import { fillDatabase, readingOf, statementsOf } from '../../test/full-database.ts'
import { useApiKey } from '../access/api-key-queries.ts'
import { selectUsers } from '../access/queries.ts'
import { selectCapturedMessages } from '../captured-messages/captured-messages.ts'
import { countOpenDeadLetters, lockMatchingIds, selectDeadLetters } from '../dead-letters/queries.ts'
import { claimRoutes } from '../delivery/claim.ts'
import { takePlaces } from '../delivery/places.ts'
import { closeDigest, joinDigests, selectDigest } from '../digests/queries.ts'
import { selectMalformedIntents } from '../intake/queries.ts'
import { sweepRetention } from '../maintenance/retention.ts'
import { selectOptOuts, selectPreferences } from '../preferences/queries.ts'
import {
  countRoutes,
  selectAttempts,
  selectRecordRoutes,
  selectRecords,
  selectRoutes,
} from '../records/queries.ts'
import { selectAudienceChunk } from '../routing/queries.ts'
import { lockDueSchedule, selectSchedules } from '../schedules/queries.ts'
import { selectSystemEvents } from '../system-events/queries.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import { createThrottle } from '../throttles/throttles.ts'
import type { Client, Pool } from './pool.ts'

const carillon = useCarillon()
const ROWS = 20_000
const LARGE = [
  'admin_system_events',
  'api_keys',
  'captured_messages',
  'daily_sends',
  'dead_letters',
  'digests',
  'malformed_intents',
  'notification_preferences',
  'records',
  'route_attempts',
  'routes',
  'schedules',
  'throttles',
  'users',
  'watches',
]

beforeAll(() => fillDatabase(carillon.pool, carillon.tenantId, ROWS))

const UUID = '01900000-0000-7000-8000-000000000000'
const page = { after: undefined, limit: 21 }
const next = { after: ['2026-01-01T00:00:00Z', UUID], limit: 21 }
const tenant = () => carillon.tenantId
const records = (filter: object) => (db: Pool) => selectRecords(db, tenant(), { ...page, ...filter })
const routes = (filter: object) => (db: Pool) => selectRoutes(db, tenant(), { ...page, ...filter })
const letters = (state: 'open' | 'all') => (db: Pool) =>
  selectDeadLetters(db, tenant(), { filter: {}, state, ...page })
const users = (filter: object) => (db: Pool) =>
  selectUsers(db, tenant(), { afterId: '', limit: 21, ...filter })
const captured = (filter: object) => (db: Pool) =>
  selectCapturedMessages(db, tenant(), { ...page, ...filter })
const chunk = (audience_kind: string) => (db: Pool) => {
  const expansion = { tenant_id: tenant(), notification_id: UUID, cursor: 'u1', audience_kind, topic: 't1' }
  return selectAudienceChunk(db as unknown as Client, expansion, 100)
}
const claim = (db: Pool) => claimRoutes(db, [{ channel: 'email', free: 100, watermark: null }], 'w', 30)
const places = (db: Pool) => {
  const route = { tenant_id: tenant(), notification_id: UUID, route_id: 'r', claim_count: 1, user_id: 'u1' }
  return takePlaces(db, 'w', [{ route: { ...route, channel: 'email' }, day: '2026-01-01', cap: 5 }])
}
const replay = (db: Pool) => lockMatchingIds(db as unknown as Client, tenant(), { channel: 'email' }, 100)
const optOuts = (db: Pool) => selectOptOuts(db, tenant(), 'email', '', 21)
const events = (db: Pool) =>
  selectSystemEvents(db, tenant(), { wholeInstance: false, resolved: null, ...page })

/** One that is claimed, so that joining goes all the way. */
const leased = async (db: Pool) => {
  const { rows } = await db.query(
    `update routes set lease_owner = 'w', lease_until = now() where tenant_id = $1 and next_attempt_at is not null
       and notification_id = (select notification_id from routes where next_attempt_at is not null limit 1)
     returning tenant_id, notification_id, route_id, claim_count, recipient_ref, user_id, 't' as notification_type`,
    [tenant()],
  )
  return rows[0]
}
const join = async (db: Pool) => {
  const route = await leased(db)
  await db.query('delete from digests where tenant_id = $1 and id = $2', [tenant(), route.notification_id])
  return joinDigests(db, 'w', [{ route, window: { key: '', window: 60, firstAtOnce: false } }])
}

const CASES: [string, string, (db: Pool) => Promise<unknown>][] = [
  ['S000-19 the claim', 'routes_due', claim],
  ['S002-18 the preferences of claimed routes', 'notification_preferences_pkey', claim],
  ['S002-18 the users of claimed routes', 'users_pkey', claim],
  ['S002-19 the places of a cap', 'routes_pkey', places],
  [
    'S002-33 a user’s preferences',
    'notification_preferences_pkey',
    db => selectPreferences(db, tenant(), 'u1'),
  ],
  ['S002-33 who switched off', 'notification_preferences_enabled', optOuts],
  ['S000-34 the depth and age of the queue', 'routes_due', db => createMetrics(db).text()],
  ['S000-30 records', 'records_listing', records({})],
  ['S000-30 the next page of records', 'records_listing', records(next)],
  ['S002-9 records by key', 'records_idempotency_key', records({ idempotency_key: 'k7' })],
  ['S002-8 records by type', 'records_listing', records({ notification_type: 't1' })],
  ['S002-8 records of a time', 'records_listing', records({ accepted_after: '2026-01-01T00:00:00Z' })],
  ['S000-30 routes', 'routes_pkey', routes({})],
  ['S000-30 the next page of routes', 'routes_pkey', routes({ after: [UUID, 'r'] })],
  ['S002-9 dead routes', 'routes_status', routes({ status: 'dead' })],
  ['S002-9 sent routes', 'routes_pkey', routes({ status: 'sent' })],
  ['S002-9 pending routes', 'routes_(due|pkey)', routes({ status: 'pending' })],
  ['S002-9 routes of a channel', 'routes_pkey', routes({ channel: 'push' })],
  ['S002-9 a user’s routes', 'routes_user', routes({ user_id: 'u1' })],
  ['S002-9 a user’s routes by status', 'routes_user', routes({ user_id: 'u1', status: 'sent' })],
  ['S002-9 a user’s routes by type', 'routes_user', routes({ user_id: 'u1', notification_type: 't1' })],
  ['S000-30 one record’s routes', 'routes_pkey', db => selectRecordRoutes(db, tenant(), UUID, page)],
  ['S000-30 one record’s counts', 'routes_pkey', db => countRoutes(db, tenant(), UUID)],
  ['S000-30 attempts', 'route_attempts_pkey', db => selectAttempts(db, tenant(), UUID, ['r'])],
  ['S002-33 open dead letters', 'dead_letters_open', letters('open')],
  ['S002-33 all dead letters', 'dead_letters_listing', letters('all')],
  ['S003-22 the count of open letters', 'dead_letters_(one_)?open', db => countOpenDeadLetters(db, tenant())],
  ['S002-11 the bulk replay', 'dead_letters_open', replay],
  ['S000-30 malformed', 'malformed_intents_listing', db => selectMalformedIntents(db, tenant(), page)],
  ['S000-30 captured messages', 'captured_messages_listing', captured({})],
  ['S000-30 those of a record', 'captured_messages_record', captured({ notification_id: UUID })],
  ['S002-33 a user by address', 'users_email_key', users({ email: 'U7@x.io' })],
  ['S002-33 a user by name', 'users_username_key', users({ username: 'name7' })],
  ['S002-33 a key by its hash', 'api_keys_key_hash_key', db => useApiKey(db, 'a'.repeat(64))],
  ['S004-18 system events', 'admin_system_events_(tenant|listing)', events],
  ['due schedules', 'schedules_due', db => lockDueSchedule(db)],
  ['schedules', 'schedules_(listing|pkey)', db => selectSchedules(db, tenant(), page)],
  ['a digest', 'routes_digest', db => selectDigest(db, tenant(), UUID)],
  ['S000-10 a chunk of all users', 'users_pkey', chunk('tenant')],
  ['S000-10 a chunk of a topic', 'watches_pkey', chunk('topic')],
]

async function explain(statement: { text: string; values: unknown[] }) {
  const { rows } = await carillon.pool.query(`explain (format json) ${statement.text}`, statement.values)
  const { whole, indexes } = readingOf(rows[0]['QUERY PLAN'][0].Plan)
  return { whole: whole.filter(table => LARGE.includes(table)), indexes }
}

describe(`with ${ROWS} rows in every table`, () => {
  it.each(CASES)('%s: uses %s and reads no large table whole', async (_name, index, call) => {
    const [statement] = await statementsOf(call)
    const { whole, indexes } = await explain(statement!)
    expect(whole).toEqual([])
    expect(indexes).toContainEqual(expect.stringMatching(new RegExp(`^${index}$`)))
  })

  it('S000-31 every retention sweep goes along its listing index and fetches rows by their place', async () => {
    const statements = await statementsOf(db => sweepRetention(db))
    const swept = new Set<string>()
    for (const statement of statements) {
      const { whole, indexes } = await explain(statement)
      expect([statement.text, whole]).toEqual([statement.text, []])
      for (const index of indexes) swept.add(index)
    }
    for (const table of ['records', 'malformed_intents', 'dead_letters'])
      expect(swept).toContain(`${table}_listing`)
    expect(swept).toContain('daily_sends_day')
    for (const index of ['digests_old', 'throttles_expired']) expect(swept).toContain(index)
  })

  it('S000-19 the claim keeps its index when one plan serves all parameters', async () => {
    const [statement] = await statementsOf(claim)
    const client = await carillon.pool.connect()
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare claim as ${statement!.text}`)
    const { rows } = await client.query(
      `explain (format json) execute claim('{email,push}', '{100,100}', '{-infinity,-infinity}', 'w', 30)`,
    )
    client.release(true)
    const { whole, indexes } = readingOf(rows[0]['QUERY PLAN'][0].Plan)
    expect(whole.filter(table => LARGE.includes(table))).toEqual([])
    expect(indexes).toContain('routes_due')
  })

  it.each<[string, (db: Pool) => Promise<unknown>]>([
    ['joining a digest', join],
    ['closing a digest', db => closeDigest(db, tenant(), UUID)],
    ['a throttle', async db => createThrottle(db).admits(await leased(db), { per: 60, key: '', max: 3 }, '')],
  ])('%s reads no large table whole', async (_name, call) => {
    const client = await carillon.pool.connect()
    await client.query('begin')
    await client.query('set local enable_seqscan = off')
    await call(client as unknown as Pool)
    const { rows } = await client.query(
      'select relname as table from pg_stat_xact_user_tables where seq_scan > 0 and relname = any ($1)',
      [LARGE],
    )
    await client.query('rollback')
    client.release()
    expect(rows).toEqual([])
  })

  it('S000-19 finished routes are not in the due index', async () => {
    const { rows } = await carillon.pool.query(
      `select (select reltuples from pg_class where relname = 'routes_due')::integer as indexed,
         (select count(*) from routes where next_attempt_at is not null)::integer as open`,
    )
    expect(rows[0]).toEqual({ indexed: ROWS / 100, open: ROWS / 100 })
  })
})
