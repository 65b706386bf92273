/** `carillon triggers`: what has to happen for a script to run. */
import {
  type NewTrigger,
  TRIGGER_KINDS,
  type Trigger,
  type TriggerChanges,
  type TriggerKind,
  type TriggerQuery,
} from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import { Argument, type Command, Option } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import type { Colors } from '../output/colors.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { findScriptId, findScriptIdIfGiven } from './find-script.ts'
import { addConfigOptions, type ConfigOptions, configFrom, describeConfig } from './trigger-arguments.ts'

type ListOptions = { kind?: TriggerKind; script?: string; state?: TriggerQuery['state'] }
type CreateOptions = ConfigOptions & { sync?: boolean; disabled?: boolean }
type ChangeOptions = ConfigOptions & { name?: string; script?: string; mode?: Trigger['dispatch_mode'] }

export function addTriggers(program: Command, open: Open): void {
  const triggers = program.command('triggers').description('when scripts run')

  triggers
    .command('list', { isDefault: true })
    .addOption(new Option('--kind <kind>').choices(TRIGGER_KINDS))
    .option('--script <script>', 'only those that run this script, by name or id')
    .addOption(new Option('--state <state>').choices(['enabled', 'disabled', 'all']))
    .description('newest first')
    .action(async ({ kind, script, state }: ListOptions, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const query = { kind, script_id: await findScriptIdIfGiven(client, script), state }
      const { rows, more } = await firstRows(page => client.triggers.list({ ...query, ...page }), limit)
      print.list(rows, columns(print.colors), { empty: 'No triggers.', more })
    })

  triggers
    .command('show')
    .argument('<id>', 'id of the trigger, from triggers list')
    .description('one trigger')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const trigger = await connect().triggers.get(id)
      print.show(trigger, () => renderTrigger(trigger, print.colors))
    })

  addConfigOptions(
    triggers
      .command('create')
      .argument('<name>', 'what it is for')
      .addArgument(new Argument('<kind>', 'what makes it fire').choices(TRIGGER_KINDS))
      .argument('<script>', 'name or id of the script to run'),
  )
    .option('--sync', 'http: the caller waits for the script')
    .option('--disabled', 'do not fire until it is enabled')
    .description('run a script when something happens; it runs as you')
    .action((name: string, kind: string, script: string, options: CreateOptions, command: Command) =>
      create(open(command), name, kind, script, options),
    )

  addConfigOptions(
    triggers
      .command('change')
      .argument('<id>', 'id of the trigger')
      .option('--name <name>')
      .option('--script <script>', 'run another script, by name or id'),
  )
    .addOption(new Option('--mode <mode>', 'http: whether the caller waits').choices(['async', 'sync']))
    .description('change a trigger; unless it is only the name, it runs as you from then on')
    .action(async (id: string, options: ChangeOptions, command: Command) => {
      if (Object.keys(options).length === 0) command.error('error: give what is to change, such as --name')
      const { connect, print } = open(command)
      const client = connect()
      const trigger = await client.triggers.update(id, await changesFrom(client, options))
      print.show(trigger, () => `${print.colors.green('✓')} ${id} changed`)
    })

  triggers
    .command('enable')
    .argument('<id>', 'id of the trigger')
    .description('fire again; a cron trigger continues from now')
    .action((id: string, _options, command: Command) => switchTo(open(command), id, true))

  triggers
    .command('disable')
    .argument('<id>', 'id of the trigger')
    .description('do not fire until it is enabled')
    .action((id: string, _options, command: Command) => switchTo(open(command), id, false))

  triggers
    .command('delete')
    .argument('<id>', 'id of the trigger')
    .description('delete a trigger; what still waits for it becomes dead letters')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print } = open(command)
      await connect().triggers.delete(id)
      print.show({ id, deleted: true }, () => `${print.colors.green('✓')} ${id} deleted`)
    })

  triggers
    .command('rotate-url')
    .argument('<id>', 'id of an http trigger')
    .description('replace the address of an http trigger; the old one stops working at once')
    .action(async (id: string, _options, command: Command) => {
      const { connect, print, addressOf } = open(command)
      const trigger = await connect().triggers.rotateUrl(id)
      const url = addressOf(trigger.url)
      print.show({ ...trigger, url }, () => url)
      print.remark('Save the address now: it will not be shown again.')
    })
}

async function create(
  { connect, print, addressOf }: Invocation,
  name: string,
  kind: string,
  script: string,
  options: CreateOptions,
): Promise<void> {
  const client = connect()
  const trigger = await client.triggers.create({
    name,
    kind,
    script_id: await findScriptId(client, script),
    config: await configFrom(client, options),
    is_enabled: options.disabled !== true,
    ...(options.sync && { dispatch_mode: 'sync' }),
  } as NewTrigger)
  if ('url' in trigger) {
    const url = addressOf(trigger.url)
    print.show({ ...trigger, url }, () => `${trigger.id}\n${url}`)
    print.remark('Save the address now: it will not be shown again.')
  } else print.show(trigger, () => trigger.id)
  if (trigger.kind === 'cron') print.remark(`It ${nextRun(trigger)}.`)
}

async function changesFrom(
  client: Client,
  { name, script, mode, ...options }: ChangeOptions,
): Promise<TriggerChanges> {
  const config = await configFrom(client, options)
  return {
    ...(name !== undefined && { name }),
    ...(script !== undefined && { script_id: await findScriptId(client, script) }),
    ...(mode !== undefined && { dispatch_mode: mode }),
    ...(Object.keys(config).length > 0 && { config }),
  }
}

async function switchTo({ connect, print }: Invocation, id: string, is_enabled: boolean): Promise<void> {
  const trigger = await connect().triggers.update(id, { is_enabled })
  const next = is_enabled && trigger.kind === 'cron' ? `; it ${nextRun(trigger)}` : ''
  print.show(trigger, () => `${print.colors.green('✓')} ${id} ${is_enabled ? 'enabled' : 'disabled'}${next}`)
}

function nextRun({ next_run_at }: { next_run_at: string | null }): string {
  return next_run_at === null ? 'has no next run' : `runs next at ${formatMoment(next_run_at)}`
}

function columns({ green, dim }: Colors): Column<Trigger>[] {
  return [
    { head: 'id', value: trigger => trigger.id, whole: true },
    { head: 'name', value: trigger => trigger.name },
    { head: 'kind', value: trigger => trigger.kind },
    { head: 'on', value: describeConfig },
    { head: 'script', value: trigger => trigger.script_id, optional: true },
    { head: 'state', value: stateOf, paint: (text, { is_enabled }) => (is_enabled ? green : dim)(text) },
  ]
}

const stateOf = ({ is_enabled }: Trigger): string => (is_enabled ? 'enabled' : 'disabled')

function renderTrigger(trigger: Trigger, colors: Colors): string {
  const { registrant, retry } = trigger
  return renderFields(
    [
      ['id', trigger.id],
      ['name', trigger.name],
      ['kind', trigger.kind],
      ['on', describeConfig(trigger)],
      ['script', trigger.script_id],
      ['state', stateOf(trigger)],
      ['mode', trigger.dispatch_mode],
      ['address', trigger.kind === 'http' ? `/hooks/${trigger.url_hint}` : ''],
      ['missed runs', trigger.kind === 'cron' ? trigger.config.misfire_policy : ''],
      ['next run', trigger.kind === 'cron' ? formatMoment(trigger.next_run_at) : ''],
      ['last run', trigger.kind === 'cron' ? formatMoment(trigger.last_run_at) : ''],
      ['attempts', `${retry.max_attempts}, ${retry.backoff} from ${retry.base_ms} ms`],
      ['runs as', registrant.user_id ?? `key ${registrant.api_key_id}`],
      ['may', registrant.scopes.join(' ')],
    ],
    colors,
  )
}
