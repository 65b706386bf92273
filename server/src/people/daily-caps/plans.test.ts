import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { countSends } from './count-sends.ts'
import { upsertEarlierSends } from './earlier-sends.ts'

const full = useFullDatabase()
const counting = (db: Pool) => {
  const route = {
    tenant_id: full.tenantId,
    notification_id: UUID,
    route_id: 'r',
    claim_count: 1,
    user_id: 'u1',
  }
  return countSends(db, 'w', [{ route: { ...route, channel: 'email' }, day: '2026-01-01', cap: 5 }])
}
const earlierSends = (db: Pool) =>
  upsertEarlierSends(db, full.tenantId, 'u1', [
    { channel: 'email', day: '2026-01-01', midnight: new Date(0) },
  ])

describePlans(full, [
  ['S002-19 what was sent before a cap', 'routes_user', earlierSends],
  ['S002-19 counting sends: the counter', 'daily_sends_pkey', counting],
  ['S002-19 counting sends: the routes', 'routes_pkey', counting],
])
