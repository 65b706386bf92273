import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectOptOuts, selectPreferences } from './queries.ts'

const full = useFullDatabase()
const own = (db: Pool) => selectPreferences(db, full.tenantId, 'u1')
const optOuts = (db: Pool) => selectOptOuts(db, full.tenantId, 'email', '', 21)

describePlans(full, [
  ['a user’s preferences', 'notification_preferences_pkey', own, ['S002-33']],
  ['people who switched a channel off', 'notification_preferences_enabled', optOuts, ['S002-33']],
])
