import { randomUUID } from 'node:crypto'
import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, PAGE } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectLoggedEmails } from './queries.ts'
import { reserveMails } from './reserve.ts'

const full = useFullDatabase()

function reserve(db: Pool): Promise<unknown> {
  const route = {
    tenant_id: full.tenantId,
    user_id: 'u7',
    notification_id: randomUUID(),
    route_id: 'email:user:u7',
  }
  return reserveMails(db, [{ route, thread: { kind: 'issue', id: '1' }, isExempt: false, at: undefined }])
}

describePlans(full, [
  [
    'the mails of a person',
    'notification_email_log_recipient',
    db => selectLoggedEmails(db, full.tenantId, { user_id: 'u7', ...PAGE }),
  ],
  ['reserving a mail about a thread', 'notification_email_log_thread', reserve],
  ['reserving a mail within an hour', 'notification_email_log_recipient', reserve],
])
