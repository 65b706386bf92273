import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectOptOuts, selectPreferences, upsertSends } from './queries.ts'

const full = useFullDatabase()
const own = (db: Pool) => selectPreferences(db, full.tenantId, 'u1')
const sends = (db: Pool) =>
  upsertSends(db, full.tenantId, 'u1', [{ channel: 'email', day: '2026-01-01', midnight: new Date(0) }])
const optOuts = (db: Pool) => selectOptOuts(db, full.tenantId, 'email', '', 21)

describePlans(full, [
  ['S002-33 a user’s preferences', 'notification_preferences_pkey', own],
  ['S002-19 what went out before a cap', 'routes_user', sends],
  ['S002-33 who switched off', 'notification_preferences_enabled', optOuts],
])
