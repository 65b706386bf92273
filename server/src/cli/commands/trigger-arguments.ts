/** The options that say on what a trigger fires; the kind decides which of them it takes, and the server checks it. */
import { HOOK_METHODS, LETTER_SOURCES, MISFIRE_POLICIES, type Trigger } from '@carillon/contract'
import type { Client } from '@carillon/sdk'
import { type Command, Option } from 'commander'
import { findScriptId } from './find-script.ts'

export interface ConfigOptions {
  collection?: string
  op?: string[]
  cron?: string
  timezone?: string
  misfire?: string
  event?: string
  topic?: string
  queue?: string
  address?: string
  method?: string[]
  source?: string
  sourceTrigger?: string
  sourceScript?: string
}

const FIELDS: Record<keyof ConfigOptions, string> = {
  collection: 'collection',
  op: 'ops',
  cron: 'cron',
  timezone: 'timezone',
  misfire: 'misfire_policy',
  event: 'event_kind',
  topic: 'topic',
  queue: 'queue',
  address: 'address',
  method: 'methods',
  source: 'source',
  sourceTrigger: 'trigger_id',
  sourceScript: 'script_id',
}

export function addConfigOptions(command: Command): Command {
  return command
    .option('--collection <glob>', 'kv: collection, such as orders or orders:*')
    .addOption(new Option('--op <op...>', 'kv: only these').choices(['insert', 'update', 'delete']))
    .option('--cron <expression>', 'cron: minute hour day month weekday, such as "30 8 * * 1-5"; or @daily')
    .option('--timezone <zone>', 'cron: time zone of the expression, e.g. Europe/Berlin; UTC by default')
    .addOption(
      new Option('--misfire <policy>', 'cron: what becomes of missed runs').choices(MISFIRE_POLICIES),
    )
    .option('--event <glob>', 'event: kind of the event, such as issue_*')
    .option('--topic <topic>', 'event: only on this topic')
    .option('--queue <glob>', 'queue: name of the queue')
    .option('--address <glob>', 'email: address that a mail was sent to, such as reply+*')
    .addOption(new Option('--method <method...>', 'http: POST by default').choices(HOOK_METHODS))
    .addOption(
      new Option('--source <source>', 'dead_letter: only letters about this kind of work').choices(
        LETTER_SOURCES,
      ),
    )
    .option('--source-trigger <id>', 'dead_letter: only letters of this trigger')
    .option('--source-script <script>', 'dead_letter: only letters of this script, by name or id')
}

/** Only what was given. */
export async function configFrom(
  client: Client,
  { sourceScript, ...others }: ConfigOptions,
): Promise<Record<string, unknown>> {
  const options: ConfigOptions = {
    ...others,
    ...(sourceScript !== undefined && { sourceScript: await findScriptId(client, sourceScript) }),
  }
  const given = Object.entries(FIELDS).flatMap(([option, field]) => {
    const value = options[option as keyof ConfigOptions]
    return value === undefined ? [] : [[field, value]]
  })
  return Object.fromEntries(given)
}

/** On what it fires, in a few words. */
export function describeConfig({ kind, config }: Trigger): string {
  switch (kind) {
    case 'kv':
      return [config.collection, ...config.ops].join(' ')
    case 'cron':
      return `${config.cron} ${config.timezone}`
    case 'event':
      return config.topic === null ? config.event_kind : `${config.event_kind} on ${config.topic}`
    case 'queue':
      return config.queue
    case 'email':
      return config.address
    case 'http':
      return config.methods.join(' ')
    case 'dead_letter':
      return [config.source, config.trigger_id, config.script_id].filter(Boolean).join(' ') || 'any'
  }
}
