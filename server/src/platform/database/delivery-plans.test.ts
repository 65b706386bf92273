/** What delivery, the scheduler and the sweeper ask, with many rows in every table: does each use its index? */
import { beforeAll, describe, expect, it } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { fillDatabase, ROWS } from '../../../test/full-database.ts'
import { expectIndex, type PlanCase, readingOf, statementsOf } from '../../../test/plans.ts'
import { closeDigest, joinDigests, selectDigest } from '../../delivery/digests/queries.ts'
import { type ClaimedRoute, claimRoutes } from '../../delivery/routes/claim.ts'
import { createThrottle } from '../../delivery/throttles/throttles.ts'
import { finishRun, lockDueSchedule, selectSchedule } from '../../intake/schedules/queries.ts'
import { sweepRetention } from '../../operations/retention/retention.ts'
import { createMetrics } from '../../operations/telemetry/metrics.ts'
import { takePlaces } from '../../people/daily-caps/places.ts'
import type { Client, Pool } from './pool.ts'

const carillon = useCarillon()
const tenant = () => carillon.tenantId
const UUID = '01900000-0000-7000-8000-000000000000'

/** One that is being delivered; its digest is still to be made. */
let route: ClaimedRoute

beforeAll(async () => {
  await fillDatabase(carillon.pool, carillon.tenantId, [
    'users',
    'notification_preferences',
    'daily_sends',
    'records',
    'routes',
    'dead_letters',
    'malformed_intents',
    'captured_messages',
    'digests',
    'throttles',
    'schedules',
  ])
  route = { ...(await claim(carillon.pool))[0]!, notification_type: 't' }
  await carillon.pool.query('delete from digests where id = $1', [route.notification_id])
})

const claim = (db: Pool) => claimRoutes(db, [{ channel: 'email', free: 20, watermark: null }], 'w', 30)
const places = (db: Pool) => {
  const route = { tenant_id: tenant(), notification_id: UUID, route_id: 'r', claim_count: 1, user_id: 'u1' }
  return takePlaces(db, 'w', [{ route: { ...route, channel: 'email' }, day: '2026-01-01', cap: 5 }])
}
const report = (db: Pool) => {
  const { notification_id, route_id } = route
  const reports = [{ notification_id, route_id, kind: 'delivered', at: new Date() }]
  return db.query('select report_routes($1, $2)', [tenant(), JSON.stringify(reports)])
}
const finish = (db: Pool) =>
  finishRun(db as unknown as Client, UUID, { next_run_at: null, last_notification_id: null, last_error: '' })

const join = (db: Pool) =>
  joinDigests(db, 'w', [{ route, window: { key: '', closes: { inSeconds: 60 }, firstAtOnce: false } }])
const close = async (db: Pool) => {
  const { rows } = await carillon.pool.query('select id from digests where closed_at is null limit 1')
  return closeDigest(db, tenant(), rows[0].id)
}
const throttle = (db: Pool) => createThrottle(db).admits(route, { per: 60, key: '', max: 3 }, '')

const CASES: PlanCase[] = [
  ['S002-33 S002-9 the claim: what is due', 'routes_due', claim],
  ['S002-33 S002-18 the preferences of claimed routes', 'notification_preferences_pkey', claim],
  ['S002-18 the users of claimed routes', 'users_pkey', claim],
  ['S002-19 the places of a cap: their counter', 'daily_sends_pkey', places],
  ['S002-19 the places of a cap: their routes', 'routes_pkey', places],
  ['what a service reports', 'routes_pkey', report],
  ['S000-34 the depth and age of the queue', 'routes_due', db => createMetrics(db).text()],
  ['joining a digest', 'digests_one_open', join],
  ['closing a digest', 'routes_digest', close],
  ['a digest', 'routes_digest', db => selectDigest(db, tenant(), UUID)],
  ['a throttle', 'throttles_pkey', throttle],
  ['the schedule that is due longest', 'schedules_due', db => lockDueSchedule(db)],
  ['the end of a schedule’s run', 'schedules_pkey', finish],
  ['one schedule', 'schedules_(pkey|listing)', db => selectSchedule(db, tenant(), UUID)],
]

describe(`with ${ROWS} rows in every table`, () => {
  it.each(CASES)('%s: uses %s and reads few pages', (_name, index, call) =>
    expectIndex(carillon.pool, index, call),
  )

  it('what joins a digest and what passes a throttle really does', async () => {
    const client = await carillon.pool.connect()
    await client.query('begin')
    expect(await join(client as unknown as Pool)).toMatchObject([{ is_item: true }])
    expect(await throttle(client as unknown as Pool)).toBe(true)
    await client.query('rollback')
    client.release()
  })

  it('S000-31 every retention sweep goes along its index and fetches rows by their place', async () => {
    const swept = new Set<string>()
    for (const { text, values } of await statementsOf(db => sweepRetention(db))) {
      const { whole, indexes } = await readingOf(carillon.pool, db => db.query(text, values))
      expect([text, whole]).toEqual([text, []])
      for (const index of indexes) swept.add(index)
    }
    for (const table of ['records', 'malformed_intents', 'dead_letters', 'captured_messages'])
      expect(swept).toContain(`${table}_listing`)
    for (const index of ['daily_sends_day', 'digests_old', 'throttles_expired'])
      expect(swept).toContain(index)
  })

  it('S000-19 the claim keeps its index when one plan serves all parameters', async () => {
    const [statement] = await statementsOf(claim)
    const client = await carillon.pool.connect()
    await client.query('set plan_cache_mode = force_generic_plan')
    await client.query(`prepare claim as ${statement!.text}`)
    const { rows } = await client.query(
      `explain execute claim('{email,push}', '{100,100}', '{-infinity,-infinity}', 'w', 30)`,
    )
    client.release(true)
    const plan = rows.map(row => row['QUERY PLAN']).join('\n')
    expect(plan).toContain('routes_due')
    expect(plan).not.toMatch(/Seq Scan on (routes|records|users|notification_preferences)/)
  })

  it('S000-19 finished routes are not in the due index', async () => {
    const { rows } = await carillon.pool.query(
      `select pg_relation_size('routes_due') / 8192 as pages,
         (select count(*) from routes where next_attempt_at is not null)::integer as open`,
    )
    expect(rows[0].open).toBe(ROWS / 1000)
    // a hundred and more entries fit on one
    expect(Number(rows[0].pages)).toBeLessThanOrEqual(5)
  })
})
