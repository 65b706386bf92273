/** /v1/audit-logs */
import { Readable } from 'node:stream'
import { AuditLog, AuditLogExportQuery, AuditLogQuery, PageOf } from '@carillon/contract'
import { z } from 'zod'
import type { Pool } from '../../platform/database/pool.ts'
import { decodeCursor, toPage } from '../../platform/http/page.ts'
import type { App } from '../../platform/http/server.ts'
import { toAuditLog } from './audit-logs.ts'
import { CONTENT_TYPES, exportAuditLogs } from './export.ts'
import { selectAuditLogs } from './queries.ts'

const tags = ['audit logs']

export function auditLogRoutes(app: App, pool: Pool): void {
  app.get(
    '/v1/audit-logs',
    {
      config: { scope: 'audit_logs:read' },
      schema: {
        tags,
        summary: 'Who changed what, newest first',
        querystring: AuditLogQuery,
        response: { 200: PageOf(AuditLog) },
      },
    },
    async request => {
      const { limit, cursor, ...filter } = request.query
      const after = decodeCursor(cursor, ['time', 'uuid'])
      const rows = await selectAuditLogs(pool, request.principal.tenant_id, {
        ...filter,
        after,
        limit: limit + 1,
      })
      return toPage(rows, limit, row => [row.created_at.toISOString(), row.id], toAuditLog)
    },
  )
  app.get(
    '/v1/audit-logs/export',
    {
      config: { scope: 'audit_logs:read' },
      schema: {
        tags,
        summary: 'All matching rows, streamed as CSV or as one JSON document per line',
        querystring: AuditLogExportQuery,
        response: {
          200: {
            description: 'Rows, newest first',
            content: {
              'application/x-ndjson': { schema: z.string() },
              'text/csv': { schema: z.string() },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { tenant_id } = request.principal
      const { format } = request.query
      const stream = Readable.from(exportAuditLogs(pool, tenant_id, request.query))
      return (
        reply
          .type(CONTENT_TYPES[format])
          .header('content-disposition', `attachment; filename="audit-logs.${format}"`)
          // The schema describes text, which is what a client receives.
          .send(stream as unknown as string)
      )
    },
  )
}
