/** Audit logs: who changed what. */
import type { AuditLog, AuditLogExportQuery, AuditLogQuery } from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { pagedList } from './pages.ts'
import type { Stream } from './stream.ts'

export function createAuditLogs(send: Send, stream: Stream) {
  return {
    ...pagedList<AuditLog, AuditLogQuery>(send, '/v1/audit-logs'),

    /** All matching rows as CSV or NDJSON, in pieces of text as they arrive; never all of it in memory. */
    export(query: Partial<AuditLogExportQuery> = {}, options?: CallOptions) {
      return stream('/v1/audit-logs/export', query, options)
    },
  }
}
