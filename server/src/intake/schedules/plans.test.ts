import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, UUID } from '../../../test/plans.ts'
import type { Client, Pool } from '../../platform/database/pool.ts'
import { finishRun, lockDueSchedule, selectSchedule, selectSchedules } from './queries.ts'

const full = useFullDatabase()
const finish = (db: Pool) =>
  finishRun(
    db as unknown as Client,
    { tenant_id: full.tenantId, id: UUID },
    { next_run_at: null, last_notification_id: null, last_error: '' },
  )

describePlans(full, [
  ['schedules', 'schedules_pkey', db => selectSchedules(db, full.tenantId, PAGE)],
  ['one schedule', 'schedules_pkey', db => selectSchedule(db, full.tenantId, UUID)],
  ['the schedule that has been due longest', 'schedules_due', db => lockDueSchedule(db)],
  ['the end of a schedule’s run', 'schedules_pkey', finish],
])
