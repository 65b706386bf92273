/** `carillon metrics`: the last day, what is stuck, dead letters, and how providers perform. */
import type { Overview } from '@carillon/contract'
import type { Command } from 'commander'
import type { Open } from '../invocation.ts'
import { bar, sparkline } from '../output/charts.ts'
import type { Colors } from '../output/colors.ts'
import { type Field, renderFields } from '../output/fields.ts'
import type { Printer } from '../output/printer.ts'
import { type Column, renderTable } from '../output/table.ts'
import { formatMoment, formatSpan } from '../output/times.ts'

const BAR_WIDTH = 30

export function addMetrics(program: Command, open: Open): void {
  program
    .command('metrics')
    .alias('stats')
    .alias('monitoring')
    .description('the last day, what is stuck, dead letters, and how providers perform')
    .action(async (_options, command: Command) => {
      const { connect, print } = open(command)
      const overview = await connect().metrics.overview()
      print.show(overview, () => renderOverview(overview, print))
      print.remark(
        overview.counted_at === null
          ? 'No hour before the current one has been counted yet; the maintenance role does that.'
          : `The hours before the current one were counted at ${formatMoment(overview.counted_at)}.`,
      )
    })
}

function renderOverview(overview: Overview, { colors, width }: Printer): string {
  const parts = [renderCounts(overview, colors), renderFields(fieldsOf(overview, colors), colors)]
  if (overview.providers.length > 0)
    parts.push(renderTable(overview.providers, providerColumns(colors), width, colors))
  return parts.join('\n\n')
}

function renderCounts({ last_24_hours: counts }: Overview, colors: Colors): string {
  const paint: Partial<Record<string, (text: string) => string>> = {
    sent: colors.green,
    failed: colors.red,
    pending: colors.yellow,
  }
  const shown = Object.entries(counts).filter(([name, count]) => count > 0 || name in paint)
  const largest = Math.max(...shown.map(([, count]) => count))
  const digits = String(largest).length
  return shown
    .map(([name, count]) => {
      const line = bar(count, largest, BAR_WIDTH)
      const figures = `${colors.dim(name.padEnd(9))}  ${String(count).padStart(digits)}`
      return `${figures}  ${paint[name]?.(line) ?? line}`.trimEnd()
    })
    .join('\n')
}

function fieldsOf({ hours, stuck, open_dead_letters: letters }: Overview, colors: Colors): Field[] {
  const since = (moment: string | null) =>
    moment === null ? '' : `, the oldest since ${formatMoment(moment)}`
  const byHour = (name: 'sent' | 'failed') => hours.map(hour => hour[name])
  return [
    ['sent by hour', sparkline(byHour('sent'))],
    ['failed by hour', Math.max(0, ...byHour('failed')) === 0 ? null : sparkline(byHour('failed'))],
    ['stuck', stuck.count === 0 ? 'nothing' : colors.yellow(`${stuck.count}${since(stuck.oldest_at)}`)],
    ['dead letters', letters.count === 0 ? 'none open' : `${letters.count} open${since(letters.oldest_at)}`],
  ]
}

function providerColumns({ green, red }: Colors): Column<Overview['providers'][number]>[] {
  return [
    { head: 'last hour', value: row => row.provider },
    { head: 'channel', value: row => row.channel },
    { head: 'total', value: row => row.total },
    { head: 'sent', value: row => row.sent },
    { head: 'failed', value: row => row.failed, paint: (text, row) => (row.failed > 0 ? red(text) : text) },
    {
      head: 'average',
      value: row => (row.avg_delivery_ms === null ? '' : formatSpan(row.avg_delivery_ms)),
    },
    { head: 'share sent', value: row => bar(row.sent, row.total, 10), optional: true, paint: green },
  ]
}
