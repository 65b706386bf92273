import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { upsertSends } from './earlier-sends.ts'
import { takePlaces } from './places.ts'

const full = useFullDatabase()
const places = (db: Pool) => {
  const route = {
    tenant_id: full.tenantId,
    notification_id: UUID,
    route_id: 'r',
    claim_count: 1,
    user_id: 'u1',
  }
  return takePlaces(db, 'w', [{ route: { ...route, channel: 'email' }, day: '2026-01-01', cap: 5 }])
}
const sends = (db: Pool) =>
  upsertSends(db, full.tenantId, 'u1', [{ channel: 'email', day: '2026-01-01', midnight: new Date(0) }])

describePlans(full, [
  ['S002-19 what went out before a cap', 'routes_user', sends],
  ['S002-19 the places of a cap: their counter', 'daily_sends_pkey', places],
  ['S002-19 the places of a cap: their routes', 'routes_pkey', places],
])
