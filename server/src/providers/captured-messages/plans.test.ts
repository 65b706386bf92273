import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectCapturedMessages } from './captured-messages.ts'

const full = useFullDatabase()
const captured = (filter: object) => (db: Pool) =>
  selectCapturedMessages(db, full.tenantId, { ...PAGE, ...filter })

describePlans(full, [
  ['captured messages', 'captured_messages_listing', captured({}), ['S000-30']],
  [
    'captured messages of a record',
    'captured_messages_record',
    captured({ notification_id: UUID }),
    ['S000-30'],
  ],
])
