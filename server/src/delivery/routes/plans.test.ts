import { describe, expect, it } from 'vitest'
import { ROWS, useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, statementsOf } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { claimRoutes } from './claim.ts'

const full = useFullDatabase()
const claim = (db: Pool) => claimRoutes(db, [{ channel: 'email', free: 20, watermark: null }], 'w', 30)

describePlans(full, [
  ['S002-33 S002-9 the claim: what is due', 'routes_due', claim],
  ['S002-33 S002-18 the preferences of claimed routes', 'notification_preferences_pkey', claim],
  ['S002-18 the users of claimed routes', 'users_pkey', claim],
])

describe('the claim', () => {
  it('S000-19 keeps its index when one plan serves all parameters', async () => {
    const [statement] = await statementsOf(claim)
    const client = await full.pool.connect()
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

  it('S000-19 finds no finished routes in its index', async () => {
    const { rows } = await full.pool.query(
      `select pg_relation_size('routes_due') / 8192 as pages,
         (select count(*) from routes where next_attempt_at is not null)::integer as open`,
    )
    expect(rows[0].open).toBe(ROWS / 1000)
    // a hundred and more entries fit on one
    expect(Number(rows[0].pages)).toBeLessThanOrEqual(5)
  })
})
