/** `carillon records`: what was accepted and what became of it. */
import type { Record as CarillonRecord, RecordDetail, Route } from '@carillon/contract'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { type Field, renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Printer } from '../output/printer.ts'
import { renderCounts, statusMark } from '../output/route-status.ts'
import { type Column, renderTable } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'

interface ListOptions {
  type?: string
  producer?: string
  key?: string
  after?: string
  before?: string
}

export function addRecords(program: Command, open: Open): void {
  const records = program.command('records').description('accepted notifications')

  records
    .command('list', { isDefault: true })
    .option('--type <name>', 'only this notification type')
    .option('--producer <name>')
    .option('--key <idempotency-key>')
    .option('--after <time>', 'accepted after this time, e.g. 2026-01-31T09:30:00Z')
    .option('--before <time>', 'accepted before this time')
    .description('newest first')
    .action(async ({ type, producer, key, after, before }: ListOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const query = {
        notification_type: type,
        producer,
        idempotency_key: key,
        accepted_after: after,
        accepted_before: before,
      }
      const client = connect()
      const { rows, more } = await firstRows(page => client.records.list({ ...query, ...page }), limit)
      print.list(rows, RECORD_COLUMNS, { empty: 'No records.', more })
    })

  records
    .command('show')
    .argument('<id>', 'notification id')
    .description('one record with its routes')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const record = await client.records.get(id)
      if (print.json) return print.show(record, () => '')
      const { rows, more } = await firstRows(page => client.records.routes(id, page), limit)
      print.show(record, () => renderRecord(record, rows, print))
      if (more) print.remark(`These are the first ${rows.length} routes; --limit shows more.`)
    })

  records
    .command('cancel')
    .argument('<id>', 'notification id')
    .description('stop everything that has not been sent yet')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const answer = await connect().records.cancel(id)
      const { cancelled, in_flight, finished } = answer
      print.show(
        answer,
        () =>
          `${print.colors.green('✓')} ${cancelled} cancelled, ${in_flight} being sent right now, ${finished} already finished`,
      )
    })
}

const RECORD_COLUMNS: Column<CarillonRecord>[] = [
  { head: 'id', value: record => record.notification_id, whole: true },
  { head: 'accepted', value: record => formatMoment(record.accepted_at), whole: true },
  { head: 'type', value: record => record.notification_type },
  { head: 'audience', value: describeAudience },
  { head: 'channels', value: record => record.channels.join(' '), optional: true },
  { head: 'producer', value: record => record.producer, optional: true },
]

function describeAudience(record: CarillonRecord): string {
  if (record.topic !== null) return `topic ${record.topic}`
  if (record.recipients.length === 0) return record.audience_kind
  const [first, ...others] = record.recipients
  return others.length === 0 ? first! : `${first} and ${others.length} more`
}

function renderRecord(record: RecordDetail, routes: Route[], { colors, width }: Printer): string {
  const fields: Field[] = [
    ['id', record.notification_id],
    ['type', record.notification_type],
    ['producer', record.producer],
    ['audience', describeAudience(record)],
    ['channels', record.channels.join(' ')],
    ['template', record.template],
    ['accepted', formatMoment(record.accepted_at)],
    ['not before', formatMoment(record.send_at)],
    ['not after', formatMoment(record.expires_at)],
    ['occurred', formatMoment(record.occurred_at)],
    ['cancelled', formatMoment(record.cancelled_at)],
    ['source', record.source],
    ['key', record.idempotency_key],
    ['request id', record.request_id],
    ['trace', record.traceparent],
    ['payload', record.payload_json],
  ]
  const counts = `${colors.bold('routes')}  ${renderCounts(record.routes, colors)}`
  const expanding = record.expanded_at === null ? ' (more are being added)' : ''
  const table = routes.length === 0 ? [] : [renderTable(routes, routeColumns(colors), width, colors)]
  return [renderFields(fields, colors), '', counts + expanding, ...table].join('\n')
}

function routeColumns(colors: Colors): Column<Route>[] {
  return [
    {
      head: 'status',
      value: route => `${statusMark(route.status, colors).symbol} ${route.status}`,
      paint: (text, route) => statusMark(route.status, colors).paint(text),
    },
    { head: 'channel', value: route => route.channel },
    { head: 'recipient', value: route => route.recipient_ref },
    { head: 'tries', value: route => `${route.attempt_count}/${route.max_attempts}`, optional: true },
    { head: 'provider', value: route => route.provider, optional: true },
    { head: 'next try', value: route => formatMoment(route.next_attempt_at), optional: true },
    { head: 'reason', value: route => route.reason || route.last_error_message },
  ]
}
