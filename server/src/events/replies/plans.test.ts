import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans } from '../../../test/plans.ts'
import { selectAnsweredMail } from './queries.ts'

const full = useFullDatabase()

describePlans(full, [
  [
    'the mail that is answered',
    'notification_email_log_message',
    db => selectAnsweredMail(db, full.tenantId, '7'),
  ],
])
