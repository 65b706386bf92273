/** `carillon runs`: what scripts did, and what they logged. */
import {
  type AbandonedExecution,
  type Run,
  type RunDetail,
  type RunEffect,
  type RunQuery,
  SCRIPT_EVENT_KINDS,
} from '@carillon/contract'
import { type Command, Option } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import { printable } from '../output/printable.ts'
import type { Printer } from '../output/printer.ts'
import { type Column, renderTable } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { findScriptIdIfGiven } from './find-script.ts'

interface ListOptions extends Pick<RunQuery, 'status' | 'kind'> {
  script?: string
  trigger?: string
  event?: string
}

export function addRuns(program: Command, open: Open): void {
  const runs = program.command('runs').description('what scripts did')

  runs
    .command('list', { isDefault: true })
    .option('--script <script>', 'only runs of this script, by name or id')
    .option('--trigger <id>', 'only what this trigger ran')
    .option('--event <id>', 'every attempt at one event; also the id of an execution')
    .addOption(new Option('--status <status>').choices(['succeeded', 'failed']))
    .addOption(new Option('--kind <kind>', 'what it was run for').choices(SCRIPT_EVENT_KINDS))
    .description('newest first')
    .action(async ({ script, trigger, event, ...rest }: ListOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const script_id = await findScriptIdIfGiven(client, script)
      const query = { script_id, trigger_id: trigger, event_id: event, ...rest }
      const { rows, more } = await firstRows(page => client.runs.list({ ...query, ...page }), limit)
      print.list(rows, columns(print.colors), { empty: 'No runs.', more })
    })

  runs
    .command('show')
    .argument('<id>', 'id of the run')
    .description('one run with what it logged, did and gave back')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const run = await connect().runs.get(id)
      print.show(run, () => renderRun(run, print))
    })

  runs
    .command('abandoned')
    .description('results that came after their caller had left, newest first')
    .action(async (_options, command: Command) => {
      const { connect, print, limit } = open(command)
      const { rows, more } = await firstRows(connect().abandonedExecutions.list, limit)
      print.list(rows, ABANDONED_COLUMNS, { empty: 'No abandoned executions.', more })
    })
}

function columns({ green, red }: Colors): Column<Run>[] {
  return [
    { head: 'id', value: run => run.id, whole: true },
    { head: 'ended', value: run => formatMoment(run.created_at), whole: true },
    { head: 'script', value: run => run.script_name || run.script_id },
    { head: 'for', value: run => `${run.kind} ${run.op === run.kind ? '' : run.op}`.trim(), optional: true },
    { head: 'took', value: run => `${run.duration_ms} ms`, optional: true },
    {
      head: 'outcome',
      value: run => run.failure_kind ?? run.status,
      paint: (text, run) => (run.status === 'succeeded' ? green : red)(text),
    },
    { head: 'error', value: run => run.error, optional: true },
  ]
}

const ABANDONED_COLUMNS: Column<AbandonedExecution>[] = [
  { head: 'execution', value: row => row.execution_id, whole: true },
  { head: 'ended', value: row => formatMoment(row.created_at), whole: true },
  { head: 'status', value: row => row.status_code },
  { head: 'result', value: row => row.summary },
]

function renderRun(run: RunDetail, { colors, width }: Printer): string {
  const fields = renderFields(
    [
      ['id', run.id],
      ['script', `${run.script_name || run.script_id}, version ${run.script_version}`],
      ['trigger', run.trigger_id],
      ['event', run.event_id],
      ['for', `${run.kind} ${run.op}`],
      ['caused by', run.origin],
      ['depth', run.depth === 0 ? null : run.depth],
      ['ran as', run.ran_as],
      ['attempt', run.attempt],
      ['outcome', run.failure_kind ?? run.status],
      ['error', run.error],
      ['took', `${run.duration_ms} ms, ${run.cpu_ms} ms of processor time`],
      ['ended', formatMoment(run.created_at)],
      ['result', run.result_json],
    ],
    colors,
  )
  const effects = run.effects.length === 0 ? [] : [renderTable(run.effects, EFFECT_COLUMNS, width, colors)]
  const logs = run.logs.map(({ level, message }) => `${colors.dim(level.padEnd(5))}  ${printable(message)}`)
  return [fields, ...effects, ...(logs.length === 0 ? [] : [logs.join('\n')])].join('\n\n')
}

const EFFECT_COLUMNS: Column<RunEffect>[] = [
  { head: 'effect', value: effect => effect.type.replaceAll('_', ' ') },
  { head: 'of', value: describeEffect },
]

function describeEffect(effect: RunEffect): string {
  switch (effect.type) {
    case 'notify':
      return `${effect.notification_id} ${effect.notification_type}${effect.duplicate ? ' (sent before)' : ''}`
    case 'kv_set':
    case 'kv_delete':
      return `${effect.collection} ${effect.key}`
    case 'replay_dead_letter':
      return effect.id
    case 'resolve_dead_letter':
      return `${effect.id} ${effect.resolution}`
    case 'raise_system_event':
      return `${effect.id} ${effect.event_type}`
  }
}
