import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { countCappedSends } from './count-capped-sends.ts'
import { countSends } from './count-sends.ts'
import { upsertEarlierCapped, upsertEarlierSends } from './earlier-sends.ts'

const full = useFullDatabase()
const aRoute = () => ({
  tenant_id: full.tenantId,
  notification_id: UUID,
  route_id: 'r',
  claim_count: 1,
  user_id: 'u1',
  channel: 'email',
})
const counting = (db: Pool) => countSends(db, 'w', [{ route: aRoute(), day: '2026-01-01', cap: 5 }])
const WEEK = { per: 'week', category: '', period: '2026-01-05' } as const
const countingCapped = (db: Pool) =>
  countCappedSends(db, 'w', [
    {
      route: aRoute(),
      periods: [
        { ...WEEK, max: 5 },
        { per: 'day', category: '', period: '2026-01-01', max: 5 },
      ],
    },
  ])
const returning = (db: Pool) => {
  const { tenant_id, user_id, channel } = aRoute()
  return db.query('select return_capped_sends($1)', [
    JSON.stringify([{ tenant_id, user_id, channel, periods: [WEEK] }]),
  ])
}
const earlierCapped = (db: Pool) =>
  upsertEarlierCapped(db, full.tenantId, 'u1', [{ ...WEEK, channel: 'email', start: new Date(0) }])
const earlierSends = (db: Pool) =>
  upsertEarlierSends(db, full.tenantId, 'u1', [
    { channel: 'email', period: '2026-01-01', start: new Date(0) },
  ])

describePlans(full, [
  ['the sends before a daily cap', 'routes_user', earlierSends, ['S002-19']],
  ['the sends before a weekly cap', 'routes_user', earlierCapped],
  ['counting a day under several caps', 'daily_sends_pkey', countingCapped],
  ['counting a week under several caps', 'capped_sends_pkey', countingCapped],
  ['the routes counted under several caps', 'routes_pkey', countingCapped],
  ['giving back counted sends', 'capped_sends_pkey', returning],
  ['counting sends under a daily cap', 'daily_sends_pkey', counting, ['S002-19']],
  ['the routes counted under a daily cap', 'routes_pkey', counting, ['S002-19']],
])
