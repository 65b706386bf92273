import { expect, it } from 'vitest'
import { ROWS, useOwnFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, statementsOf, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectAttempts } from './attempts.ts'
import { claimRoutes, findNewLanes } from './claim.ts'
import { selectDoubts } from './doubts.ts'
import { countRoutes, selectPeopleOfRecords, selectRecordRoutes, selectRoutes } from './list.ts'

const full = useOwnFullDatabase()
const tenant = () => full.tenantId
const recent = { created_after: new Date(Date.now() - 3_600_000).toISOString() }
const routes = (filter: object) => (db: Pool) => selectRoutes(db, tenant(), { ...PAGE, ...filter })
const lane = () => ({ tenantId: tenant(), channel: 'email' as const, priority: 1 })
const claim = (db: Pool) => claimRoutes(db, [{ ...lane(), free: 20, watermark: null }], 20, 'w', 30)
const report = (db: Pool) => {
  const reports = [{ notification_id: UUID, route_id: 'r', kind: 'delivered', at: new Date() }]
  return db.query('select apply_reports($1, $2)', [tenant(), JSON.stringify(reports)])
}
const doubts = (db: Pool) => {
  const route = { tenant_id: tenant(), notification_id: UUID, route_id: 'r', attempt_count: 3 }
  return selectDoubts(db, route)
}

describePlans(full, [
  ['applying the reports of a service', 'routes_pkey', report],
  ['routes', 'routes_pkey', routes({}), ['S000-30']],
  [
    'people with a route of some records',
    'routes_pkey',
    db => selectPeopleOfRecords(db, tenant(), [UUID], ['u1', 'u2']),
  ],
  ['the next page of routes', 'routes_pkey', routes({ after: [UUID, 'r'] }), ['S000-30']],
  ['dead routes', 'routes_status', routes({ status: 'dead' }), ['S002-9']],
  ['sent routes', 'routes_pkey', routes({ status: 'sent' }), ['S002-9']],
  ['pending routes', 'routes_due', routes({ status: 'pending' }), ['S002-9']],
  ['routes of a channel', 'routes_pkey', routes({ channel: 'push' }), ['S002-9']],
  ['routes of a channel that has none', 'routes_senders', routes({ channel: 'chat' })],
  ['routes of a provider that has none', 'routes_senders', routes({ provider: 'none' })],
  ['routes of a day that is over', 'routes_pkey', routes({ created_before: '2020-01-02T00:00:00Z' })],
  ['a user’s routes', 'routes_user', routes({ user_id: 'u1' }), ['S002-9']],
  [
    'a user’s routes by type',
    'routes_user',
    routes({ user_id: 'u1', notification_type: 't1' }),
    ['S002-33', 'S002-9'],
  ],
  [
    'a user’s routes by status',
    'routes_user',
    routes({ user_id: 'u1', status: 'sent' }),
    ['S002-33', 'S002-9'],
  ],
  ['routes of a type', 'records_type', routes({ notification_type: 't1' })],
  [
    'dead routes of a type that was never sent',
    'records_type',
    routes({ status: 'dead', notification_type: 'never' }),
  ],
  ['dead routes of a type', 'routes_status', routes({ status: 'dead', notification_type: 't1' })],
  ['dead routes of an hour', 'routes_status', routes({ status: 'dead', ...recent }), ['S002-33', 'S002-9']],
  ['sent routes of an hour', 'routes_pkey', routes({ status: 'sent', ...recent }), ['S002-33', 'S002-9']],
  ['digests opened before an hour', 'digests_opened_early', routes({ ...recent }), ['S002-33', 'S002-9']],
  [
    'pending routes of an hour',
    'routes_(due|pkey)',
    routes({ status: 'pending', ...recent }),
    ['S002-33', 'S002-9'],
  ],
  ['one record’s routes', 'routes_pkey', db => selectRecordRoutes(db, tenant(), UUID, PAGE), ['S000-30']],
  ['one record’s counts', 'routes_pkey', db => countRoutes(db, tenant(), UUID), ['S000-30']],
  ['attempts', 'route_attempts_pkey', db => selectAttempts(db, tenant(), UUID, ['r']), ['S000-30']],
  ['attempts that may have arrived', 'route_attempts_pkey', doubts],
  ['claiming due routes', 'routes_due', claim, ['S002-33', 'S002-9']],
  ['the lanes that a worker does not know yet', 'routes_due', db => findNewLanes(db, [lane()])],
  ['the preferences of claimed routes', 'notification_preferences_pkey', claim, ['S002-33', 'S002-18']],
  ['the users of claimed routes', 'users_pkey', claim, ['S002-18']],
  ['the topics of claimed routes', 'topics_pkey', claim, ['S001-25']],
  ['the topic members of claimed routes', 'topic_members_pkey', claim, ['S001-25']],
  ['the threads of claimed routes', 'threads_pkey', claim],
  ['people who left the threads of claimed routes', 'notification_threads_(pkey|thread)', claim, ['S001-12']],
])

it('the claim keeps its index when one plan serves all parameters', { tags: 'S000-19' }, async () => {
  const [statement] = await statementsOf(claim)
  const client = await full.pool.connect()
  await client.query('set plan_cache_mode = force_generic_plan')
  await client.query(`prepare claim as ${statement!.text}`)
  const { rows } = await client.query(
    `explain execute claim('{${tenant()},${tenant()}}', '{email,push}', '{1,1}', '{100,100}', '{-infinity,-infinity}', 100,
         'w', 30)`,
  )
  client.release(true)
  const plan = rows.map(row => row['QUERY PLAN']).join('\n')
  expect(plan).toContain('routes_due')
  expect(plan).not.toMatch(/Seq Scan on (routes|records|users|notification_preferences)/)
})

it('the index of the claim has no finished routes', { tags: 'S000-19' }, async () => {
  const { rows } = await full.pool.query(
    `select pg_relation_size('routes_due') / 8192 as pages,
         (select count(*) from routes where next_attempt_at is not null)::integer as open`,
  )
  expect(rows[0].open).toBe(ROWS / 1000)
  // more than a hundred entries fit on one page
  expect(Number(rows[0].pages)).toBeLessThanOrEqual(5)
})
