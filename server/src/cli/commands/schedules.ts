/** `carillon schedules`: intents that are sent repeatedly. */
import type { Schedule, SchedulePreview } from '@carillon/contract'
import type { Command } from 'commander'
import { type Invocation, type Open, positiveNumber } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Printer } from '../output/printer.ts'
import { type Column, renderTable } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { addIntentOptions, type IntentOptions, intentFrom } from './intent-arguments.ts'
import { reportMistakes } from './json-argument.ts'

type CreateOptions = IntentOptions & { timezone?: string; paused?: boolean }
type PreviewOptions = { timezone?: string; count: number }
type ChangeOptions = { name?: string; cron?: string; timezone?: string }

const RUNS_SHOWN = 5

export function addSchedules(program: Command, open: Open): void {
  const schedules = program.command('schedules').description('notifications that are sent repeatedly')

  schedules
    .command('list', { isDefault: true })
    .description('newest first')
    .action(async (_options, command: Command) => {
      const { connect, print, limit } = open(command)
      const { rows, more } = await firstRows(connect().schedules.list, limit)
      print.list(rows, columns(print.colors), { empty: 'No schedules.', more })
    })

  addIntentOptions(
    schedules
      .command('create')
      .argument('<name>', 'what it is for')
      .argument('<cron>', 'minute hour day month weekday, such as "30 8 * * 1-5"; or @daily and the like')
      .argument('<type>', 'notification type'),
  )
    .option('--timezone <zone>', 'time zone of the expression, e.g. Europe/Berlin; UTC by default')
    .option('--paused', 'do not run until it is resumed')
    .description('send a notification at regular times')
    .action((name: string, cron: string, type: string, options: CreateOptions, command: Command) =>
      reportMistakes(command, () => create(open(command), name, cron, type, options)),
    )

  schedules
    .command('show')
    .argument('<id>', 'id of the schedule, from schedules list')
    .description('one schedule with its next runs')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const client = connect()
      const schedule = await client.schedules.get(id)
      const { runs } = schedule.is_active ? await client.schedules.nextRuns(id, RUNS_SHOWN) : { runs: [] }
      print.show({ ...schedule, next_runs: runs }, () => renderSchedule(schedule, runs, print))
    })

  schedules
    .command('preview')
    .argument('<cron>', 'an expression, such as "0 9 * * 1"')
    .option('--timezone <zone>', 'time zone of the expression; UTC by default')
    .option('--count <number>', 'how many runs', positiveNumber, RUNS_SHOWN)
    .description('when an expression would run')
    .action(async (cron: string, { timezone, count }: PreviewOptions, command: Command) => {
      const { connect, print } = open(command)
      const { runs } = await connect().schedules.preview({ cron, timezone, count })
      print.list(runs, RUN_COLUMNS, { empty: 'It would never run.' })
    })

  schedules
    .command('change')
    .argument('<id>', 'id of the schedule')
    .option('--name <name>')
    .option('--cron <expression>')
    .option('--timezone <zone>')
    .description('change the name or the times')
    .action(async (id: string, { name, cron, timezone }: ChangeOptions, command: Command) => {
      if ((name ?? cron ?? timezone) === undefined) command.error('error: give --name, --cron or --timezone')
      const { connect, print } = open(command)
      const schedule = await connect().schedules.update(id, { name, cron, timezone })
      print.show(schedule, () => `${print.colors.green('✓')} ${id} changed; ${nextRun(schedule)}`)
    })

  schedules
    .command('pause')
    .argument('<id>', 'id of the schedule')
    .description('stop running until it is resumed')
    .action((id: string, _options, command: Command) => switchTo(open(command), id, false))

  schedules
    .command('resume')
    .argument('<id>', 'id of the schedule')
    .description('run again from now on; missed runs are not made up for')
    .action((id: string, _options, command: Command) => switchTo(open(command), id, true))

  schedules
    .command('delete')
    .argument('<id>', 'id of the schedule')
    .description('delete a schedule; what it has sent stays')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().schedules.delete(id)
      print.show({ id, deleted: true }, () => `${print.colors.green('✓')} ${id} deleted`)
    })
}

async function create(
  { connect, print, terminal }: Invocation,
  name: string,
  cron: string,
  type: string,
  options: CreateOptions,
): Promise<void> {
  const intent = await intentFrom(type, options, terminal.readStdin)
  const schedule = await connect().schedules.create({
    name,
    cron,
    timezone: options.timezone,
    intent,
    is_active: options.paused !== true,
  })
  print.show(schedule, () => schedule.id)
  print.remark(`It ${nextRun(schedule)}. For details: carillon schedules show ${schedule.id}`)
}

async function switchTo({ connect, print }: Invocation, id: string, is_active: boolean): Promise<void> {
  const schedule = await connect().schedules.update(id, { is_active })
  print.show(schedule, () => `${print.colors.green('✓')} ${id} ${is_active ? nextRun(schedule) : 'paused'}`)
}

function nextRun({ next_run_at }: Schedule): string {
  return next_run_at === null ? 'has no next run' : `runs next at ${formatMoment(next_run_at)}`
}

function columns({ green, red, dim }: Colors): Column<Schedule>[] {
  const paintOf = (schedule: Schedule) =>
    schedule.last_error !== '' ? red : schedule.is_active ? green : dim
  return [
    { head: 'id', value: schedule => schedule.id, whole: true },
    { head: 'name', value: schedule => schedule.name },
    { head: 'cron', value: schedule => schedule.cron, whole: true },
    { head: 'timezone', value: schedule => schedule.timezone, optional: true },
    { head: 'type', value: schedule => schedule.intent.notification_type, optional: true },
    { head: 'next run', value: schedule => formatMoment(schedule.next_run_at), whole: true },
    { head: 'state', value: stateOf, paint: (text, schedule) => paintOf(schedule)(text) },
  ]
}

function stateOf({ is_active, last_error }: Schedule): string {
  const state = is_active ? 'active' : 'paused'
  return last_error === '' ? state : `${state}, last run failed`
}

const RUN_COLUMNS: Column<SchedulePreview['runs'][number]>[] = [
  { head: 'at', value: run => formatMoment(run.at), whole: true },
  { head: 'local time', value: run => run.local, whole: true },
]

function renderSchedule(
  schedule: Schedule,
  runs: SchedulePreview['runs'],
  { colors, width }: Printer,
): string {
  const { intent } = schedule
  const fields = renderFields(
    [
      ['id', schedule.id],
      ['name', schedule.name],
      ['cron', schedule.cron],
      ['timezone', schedule.timezone],
      ['state', stateOf(schedule)],
      ['type', intent.notification_type],
      ['audience', JSON.stringify(intent.audience)],
      ['channels', intent.channels?.join(' ') ?? ''],
      ['template', intent.template ?? ''],
      ['payload', JSON.stringify(intent.payload)],
      ['last run', formatMoment(schedule.last_run_at)],
      ['last sent', schedule.last_notification_id],
      ['last error', schedule.last_error],
    ],
    colors,
  )
  return runs.length === 0 ? fields : `${fields}\n\n${renderTable(runs, RUN_COLUMNS, width, colors)}`
}
