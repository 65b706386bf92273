import { BUSY_WEBHOOK, useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectDeliveries, selectDeliveriesOfRecord } from './queries.ts'

const full = useFullDatabase()
const deliveries = (filter: object) => (db: Pool) =>
  selectDeliveries(db, full.tenantId, BUSY_WEBHOOK, { status: 'all', ...filter, ...PAGE })

describePlans(full, [
  ['deliveries', 'webhook_deliveries_listing', deliveries({}), ['S002-17']],
  [
    'deliveries of a notification to a webhook',
    'webhook_deliveries_notification',
    deliveries({ notification_id: UUID }),
    ['S002-33'],
  ],
  ['successful deliveries', 'webhook_deliveries_listing', deliveries({ status: 'delivered' }), ['S002-33']],
  ['failed deliveries', 'webhook_deliveries_undelivered', deliveries({ status: 'failed' }), ['S002-33']],
  [
    'deliveries being retried',
    'webhook_deliveries_(next_retry|undelivered)',
    deliveries({ status: 'retrying' }),
    ['S002-33'],
  ],
  [
    'deliveries of a record',
    'webhook_deliveries_notification',
    db => selectDeliveriesOfRecord(db, full.tenantId, UUID, 50),
  ],
])
