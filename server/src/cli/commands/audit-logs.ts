/** `carillon audit-logs`: who changed what. */
import { type AuditLog, type AuditLogFilter, EXPORT_FORMATS } from '@carillon/contract'
import { type Command, Option } from 'commander'
import type { Open } from '../invocation.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import type { Terminal } from '../output/terminal.ts'
import { formatMoment } from '../output/times.ts'

interface FilterOptions {
  user?: string
  action?: string
  resource?: string
  id?: string
  after?: string
  before?: string
}

export function addAuditLogs(program: Command, open: Open): void {
  const audit = program.command('audit-logs').alias('audit').description('who changed what')

  withFilters(audit.command('list', { isDefault: true }))
    .description('newest first')
    .action(async (options: FilterOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const filter = filterOf(options)
      const { rows, more } = await firstRows(page => client.auditLogs.list({ ...filter, ...page }), limit)
      print.list(rows, COLUMNS, { empty: 'No changes.', more })
    })

  withFilters(audit.command('export'))
    .addOption(new Option('--format <format>').choices(EXPORT_FORMATS).default('ndjson'))
    .description('write all matching rows to stdout, or the newest --limit of them')
    .action(
      async ({ format, ...options }: FilterOptions & { format: 'csv' | 'ndjson' }, command: Command) => {
        const { connect, terminal, limit } = open(command)
        const pieces = connect().auditLogs.export({
          format,
          ...filterOf(options),
          ...(limit !== undefined && { limit }),
        })
        for await (const piece of pieces) await write(terminal, piece)
      },
    )
}

/** Waits for a slow reader, so that the export does not fill the memory. */
async function write({ stdout }: Terminal, piece: string): Promise<void> {
  if (stdout.write(piece) === false) await new Promise<void>(resolve => stdout.once?.('drain', resolve))
}

function withFilters(command: Command): Command {
  return command
    .option('--user <id>', 'only by this user')
    .option('--action <action>', 'such as create, update, delete, replay')
    .option('--resource <type>', 'such as user, provider, dead_letter')
    .option('--id <id>', 'only changes of this resource')
    .option('--after <time>', 'only after this time, e.g. 2026-01-31T09:30:00Z')
    .option('--before <time>', 'only before this time')
}

function filterOf({ user, action, resource, id, after, before }: FilterOptions): AuditLogFilter {
  return {
    user_id: user,
    action,
    resource_type: resource,
    resource_id: id,
    created_after: after,
    created_before: before,
  }
}

const COLUMNS: Column<AuditLog>[] = [
  { head: 'when', value: log => formatMoment(log.created_at), whole: true },
  {
    head: 'who',
    value: whoOf,
  },
  { head: 'action', value: log => log.action },
  { head: 'resource', value: log => log.resource_type },
  { head: 'id', value: log => log.resource_id },
  { head: 'changed', value: changedFields, optional: true },
  { head: 'from', value: log => log.ip_address, optional: true },
]

function whoOf({ account_id, account_email, user_id, api_key_id }: AuditLog): string {
  if (account_id !== null) return account_email || `account ${account_id}`
  return user_id ?? (api_key_id === null ? 'carillon' : `key ${api_key_id}`)
}

/** Only the names of the fields; their values are in --json and the export. */
function changedFields({ old_values, new_values }: AuditLog): string {
  if (old_values === null || new_values === null) return ''
  return [...new Set([...Object.keys(old_values), ...Object.keys(new_values)])].join(' ')
}
