import { useFullDatabase } from '../../../test/full-database.ts'
import { describePlans, NEXT_PAGE, PAGE, UUID } from '../../../test/plans.ts'
import type { Pool } from '../../platform/database/pool.ts'
import { selectAuditLogs } from './queries.ts'

const full = useFullDatabase()
const logs = (filter: object) => (db: Pool) => selectAuditLogs(db, full.tenantId, { ...PAGE, ...filter })

describePlans(full, [
  ['audit logs by time', 'audit_logs_listing', logs({}), ['S002-33']],
  ['the next page of audit logs', 'audit_logs_listing', logs(NEXT_PAGE), ['S002-33']],
  ['audit logs of a day', 'audit_logs_listing', logs({ created_after: '2026-01-01T00:00:00Z' }), ['S002-33']],
  ['audit logs of a user', 'audit_logs_user', logs({ user_id: 'u7' }), ['S002-33']],
  ['audit logs of an account', 'audit_logs_account', logs({ account_id: UUID })],
  ['audit logs of an action', 'audit_logs_action', logs({ action: 'a7' }), ['S002-33']],
  [
    'audit logs of a resource',
    'audit_logs_resource',
    logs({ resource_type: 't7', resource_id: 'r7' }),
    ['S002-33'],
  ],
])
