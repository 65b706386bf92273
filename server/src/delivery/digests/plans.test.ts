import { beforeAll, expect, it } from 'vitest'
import { claimDue } from '../../../test/claim-due.ts'
import { useOwnFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import type { ClaimedRoute } from '../routes/claim.ts'
import { closeDigest, joinDigests, selectDigest } from './queries.ts'

const full = useOwnFullDatabase()
/** A claimed route whose digest does not exist yet. */
let route: ClaimedRoute

beforeAll(async () => {
  route = { ...(await claimDue(full.pool, 'email', 'w'))[0]!, notification_type: 't' }
  await full.pool.query('delete from digests where id = $1', [route.notification_id])
})

const join = (db: Pool) =>
  joinDigests(db, 'w', [{ route, window: { key: '', closes: { inSeconds: 60 }, firstAtOnce: false } }])
const close = async (db: Pool) => {
  const { rows } = await full.pool.query('select id from digests where closed_at is null limit 1')
  return closeDigest(db, full.tenantId, rows[0].id)
}

describePlans(full, [
  ['joining a digest', 'digests_one_open', join],
  ['closing a digest', 'routes_digest', close],
  ['a digest', 'routes_digest', db => selectDigest(db, full.tenantId, UUID)],
])

it('the planned statements really make a route join a digest', async () => {
  const client = await full.pool.connect()
  await client.query('begin')
  expect(await join(client as unknown as Pool)).toMatchObject([{ is_item: true }])
  await client.query('rollback')
  client.release()
})
