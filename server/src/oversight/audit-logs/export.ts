/** Audit logs as a file, streamed page by page, so that memory use does not grow with its length. */
import type { AuditLog, AuditLogExportQuery, AuditLogFilter } from '@carillon/contract'
import type { Executor } from '../../platform/database/pool.ts'
import { toAuditLog } from './audit-logs.ts'
import { selectAuditLogs } from './queries.ts'

const PAGE_SIZE = 1000

const COLUMNS = [
  'id',
  'created_at',
  'user_id',
  'api_key_id',
  'action',
  'resource_type',
  'resource_id',
  'ip_address',
  'user_agent',
  'request_id',
  'old_values',
  'new_values',
  'account_id',
  'account_email',
] as const satisfies (keyof AuditLog)[]

export const CONTENT_TYPES: Record<AuditLogExportQuery['format'], string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
}

/** The text of the export, newest first, one page at a time. Rows never change, so the pages fit together. */
export async function* exportAuditLogs(
  db: Executor,
  tenantId: string,
  { format, limit = Number.POSITIVE_INFINITY, ...filter }: AuditLogExportQuery,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\r\n`
  const toLine = format === 'csv' ? toCsvLine : toJsonLine
  for await (const page of pages(db, tenantId, filter, limit)) yield page.map(toLine).join('')
}

async function* pages(
  db: Executor,
  tenantId: string,
  filter: AuditLogFilter,
  limit: number,
): AsyncGenerator<AuditLog[]> {
  let after: string[] | undefined
  for (let left = limit; left > 0; left -= PAGE_SIZE) {
    const wanted = Math.min(left, PAGE_SIZE)
    const rows = await selectAuditLogs(db, tenantId, { ...filter, after, limit: wanted })
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(toAuditLog)
    if (rows.length < wanted) return
    after = [last.created_at.toISOString(), last.id]
  }
}

function toJsonLine(log: AuditLog): string {
  return `${JSON.stringify(Object.fromEntries(COLUMNS.map(column => [column, log[column]])))}\n`
}

/** As in RFC 4180. */
function toCsvLine(log: AuditLog): string {
  return `${COLUMNS.map(column => toCell(log[column])).join(',')}\r\n`
}

function toCell(value: unknown): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A spreadsheet would evaluate what starts like a formula; the apostrophe makes it text.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
