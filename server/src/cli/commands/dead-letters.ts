/** `carillon dead-letters`: what could not be delivered, and what to do about it. */
import {
  CHANNELS,
  type Channel,
  type DeadLetter,
  type DeadLetterDetail,
  type DeadLetterFilter,
  type DeadLetterGroup,
  type DeadLetterQuery,
  FAILURE_REASONS,
  type FailureReason,
  type ResolveDeadLetter,
} from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import { type Command, Option } from 'commander'
import type { Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Printer } from '../output/printer.ts'
import { type Column, renderTable } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { findScriptIdIfGiven } from './find-script.ts'
import { replayAll, replayEach } from './replay.ts'

interface FilterOptions {
  channel?: Channel
  type?: string
  reason?: FailureReason
  source?: string
  trigger?: string
  script?: string
}
type ListOptions = FilterOptions & { state: DeadLetterQuery['state'] }
type ReplayOptions = FilterOptions & { all?: boolean; dryRun?: boolean }
type ResolveOptions = { as: ResolveDeadLetter['resolution']; by?: string }

export function addDeadLetters(program: Command, open: Open): void {
  const deadLetters = program.command('dead-letters').description('what could not be delivered')

  withFilters(deadLetters.command('list', { isDefault: true }))
    .addOption(new Option('--state <state>').choices(['open', 'resolved', 'all']).default('open'))
    .description('newest first')
    .action(async (options: ListOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const query = { ...(await filterOf(client, options)), state: options.state }
      const { rows, more } = await firstRows(page => client.deadLetters.list({ ...query, ...page }), limit)
      print.list(rows, columns(print.colors), { empty: 'No dead letters.', more })
    })

  withFilters(deadLetters.command('groups'))
    .description('open ones by cause, the most frequent first')
    .action(async (options: FilterOptions, command: Command) => {
      const { connect, print } = open(command)
      const client = connect()
      const { data } = await client.deadLetters.groups(await filterOf(client, options))
      print.list(data, GROUP_COLUMNS, { empty: 'No dead letters.', more: false })
    })

  deadLetters
    .command('show')
    .argument('<id>')
    .description('one dead letter with every attempt')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const letter = await connect().deadLetters.get(id)
      print.show(letter, () => renderLetter(letter, print))
    })

  withFilters(deadLetters.command('replay'))
    .argument('[ids...]', 'the dead letters to send again')
    .option('--all', 'every open dead letter that matches the filters; --limit sets how many at most')
    .option('--dry-run', 'with --all: only say how many')
    .description('send dead letters again')
    .action(async (ids: string[], options: ReplayOptions, command: Command) => {
      const mistake = replayMistake(ids, options)
      if (mistake !== undefined) command.error(`error: ${mistake}`)
      const invocation = open(command)
      if (!options.all) return replayEach(invocation, ids)
      const filter = await filterOf(invocation.connect(), options)
      return replayAll(invocation, filter, options.dryRun === true)
    })

  deadLetters
    .command('resolve')
    .argument('<id>')
    .addOption(
      new Option('--as <resolution>', 'what was done about it')
        .choices(['ignored', 'handled_by_script'])
        .default('ignored'),
    )
    .option('--by <user-id>', 'who decided')
    .description('close a dead letter without sending it again')
    .action(async (id: string, { as, by }: ResolveOptions, command: Command) => {
      const { connect, print } = open(command)
      const letter = await connect().deadLetters.resolve(id, { resolution: as, resolved_by: by })
      print.show(letter, () => `${print.colors.green('✓')} ${letter.id} ${letter.resolution}`)
    })
}

function withFilters(command: Command): Command {
  return command
    .addOption(new Option('--channel <channel>').choices(CHANNELS))
    .option('--type <name>', 'only this notification type')
    .addOption(new Option('--reason <reason>', 'why it failed').choices(FAILURE_REASONS))
    .option('--source <kind>', 'only this kind of work: route, webhook, or a kind of trigger')
    .option('--trigger <id>', 'only work of this trigger')
    .option('--script <script>', 'only work of this script, by name or id')
}

async function filterOf(
  client: Client,
  { channel, type, reason, source, trigger, script }: FilterOptions,
): Promise<DeadLetterFilter> {
  return {
    channel,
    notification_type: type,
    failure_reason: reason,
    source,
    trigger_id: trigger,
    script_id: await findScriptIdIfGiven(client, script),
  }
}

/** Filters given together with ids would be ignored, and what is sent would come as a surprise. */
function replayMistake(ids: string[], { all, dryRun, ...filters }: ReplayOptions): string | undefined {
  if (all && ids.length > 0) return 'give ids or --all, not both'
  if (all) return undefined
  if (ids.length === 0) return 'give the ids of dead letters, or --all'
  if (dryRun || Object.keys(filters).length > 0) return '--dry-run and filters need --all'
  return undefined
}

function columns({ dim, yellow }: Colors): Column<DeadLetter>[] {
  return [
    { head: 'id', value: letter => letter.id, whole: true },
    { head: 'died', value: letter => formatMoment(letter.created_at), whole: true, optional: true },
    { head: 'type', value: letter => letter.notification_type || letter.op, optional: true },
    { head: 'channel', value: letter => letter.channel ?? letter.source },
    { head: 'recipient', value: letter => letter.recipient_ref || letter.target_id },
    { head: 'reason', value: letter => letter.failure_reason },
    {
      head: 'state',
      value: letter => letter.resolution ?? 'open',
      optional: true,
      paint: (text, letter) => (letter.resolved_at === null ? yellow(text) : dim(text)),
    },
  ]
}

const GROUP_COLUMNS: Column<DeadLetterGroup>[] = [
  { head: 'letters', value: group => String(group.count), whole: true },
  { head: 'newest', value: group => formatMoment(group.newest_at), whole: true, optional: true },
  { head: 'reason', value: group => group.failure_reason },
  { head: 'channel', value: group => group.channel ?? group.source },
  { head: 'provider', value: group => group.provider },
  { head: 'template', value: group => group.template ?? '', optional: true },
  { head: 'newest error', value: group => group.sample.failure_message },
]

function renderLetter(letter: DeadLetterDetail, { colors, width }: Printer): string {
  const fields = renderFields(
    [
      ['id', letter.id],
      ['notification', letter.notification_id],
      ['route', letter.route_id],
      ['type', letter.notification_type],
      ['channel', letter.channel],
      ['recipient', letter.recipient_ref],
      ['source', letter.source],
      ['event', letter.op],
      ['target', letter.target_id],
      ['trigger', letter.trigger_id],
      ['script', letter.script_id],
      ['died', formatMoment(letter.created_at)],
      [
        'reason',
        `${letter.failure_reason} after ${letter.final_attempt_count} of ${letter.max_attempts} attempts`,
      ],
      ['failure', `${letter.failure_classification}: ${letter.failure_message}`],
      ['hint', letter.recovery_hint],
      ['resolved', formatMoment(letter.resolved_at)],
      ['resolution', letter.resolution],
      ['resolved by', letter.resolved_by],
      ['payload', letter.payload_json],
    ],
    colors,
  )
  if (letter.attempts.length === 0) return fields
  return `${fields}\n\n${renderTable(letter.attempts, ATTEMPT_COLUMNS, width, colors)}`
}

const ATTEMPT_COLUMNS: Column<DeadLetterDetail['attempts'][number]>[] = [
  { head: 'attempt', value: attempt => attempt.attempt_no },
  { head: 'started', value: attempt => formatMoment(attempt.started_at), whole: true },
  { head: 'took', value: attempt => `${attempt.duration_ms} ms`, optional: true },
  { head: 'outcome', value: attempt => attempt.outcome },
  { head: 'provider', value: attempt => attempt.provider },
  { head: 'message', value: attempt => attempt.message },
]
