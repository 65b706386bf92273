import { beforeAll, expect, it } from 'vitest'
import { claimDue } from '../../../test/claim-due.ts'
import { useOwnFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { createThrottle } from './throttles.ts'

const full = useOwnFullDatabase()
let route: ClaimedRoute

beforeAll(async () => {
  route = { ...(await claimDue(full.pool, 'email', 'w'))[0]!, notification_type: 't' }
})

const throttle = (db: Pool) => createThrottle(db).admits(route, { per: 60, key: '', max: 3 }, '')

const giveBack = (db: Pool) => db.query('select return_throttles($1)', [JSON.stringify([route])])

describePlans(full, [
  ['a throttle', 'throttles_pkey', throttle],
  ['giving back what a throttle let through', 'throttles_pkey', giveBack],
])

it('the planned statement really lets a notification pass a throttle', async () => {
  const client = await full.pool.connect()
  await client.query('begin')
  expect(await throttle(client as unknown as Pool)).toBe(true)
  await client.query('rollback')
  client.release()
})
