import { BUSY_WEBHOOK, useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { countRecoverable } from './queries.ts'

const full = useFullDatabase()
const recoverable = (db: Pool) =>
  countRecoverable(db, full.tenantId, BUSY_WEBHOOK, '2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z')

describePlans(full, [['deliveries that can be recovered', 'webhook_deliveries_undelivered', recoverable]])
