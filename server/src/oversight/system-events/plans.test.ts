import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectSystemEvents } from './queries.ts'

const full = useFullDatabase()
const events = (db: Pool) =>
  selectSystemEvents(db, full.tenantId, { wholeInstance: false, resolved: null, ...PAGE })

describePlans(full, [['system events', 'admin_system_events_(tenant|listing)', events, ['S004-18']]])
