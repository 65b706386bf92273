/** The arguments shared by commands that describe an intent, and the intent made from them. */
import { type Audience, CHANNELS, type Channel, type IntentInput } from '@carillon/contract'
import { type Command, Option } from 'commander'
import { ArgumentMistake, jsonFrom } from './json-argument.ts'

export interface IntentOptions {
  to?: string[]
  email?: string[]
  topic?: string
  tenantWide?: boolean
  channel?: Channel[]
  template?: string
  thread?: string
  payload?: string
}

export interface TimingOptions {
  key?: string
  sendAt?: string
  expiresAt?: string
}

export function addIntentOptions(command: Command): Command {
  return command
    .option('--to <user-id...>', 'notify these users')
    .option('--email <address...>', 'notify these mail addresses')
    .option('--topic <topic>', 'notify everybody who watches this topic')
    .option('--tenant-wide', 'notify everybody')
    .addOption(new Option('--channel <channel...>', 'instead of the channels of the type').choices(CHANNELS))
    .option('--template <name>', 'instead of the template of the type')
    .option('--thread <kind/id>', 'what it is about, such as issue/42')
    .option('--payload <json>', 'a JSON object, @file, or - for stdin')
}

export function addTimingOptions(command: Command): Command {
  return command
    .option('--key <idempotency-key>', 'sending again with the same key has no effect')
    .option('--send-at <time>', 'do not send before, e.g. 2026-01-31T09:30:00Z')
    .option('--expires-at <time>', 'do not send after')
}

export async function intentFrom(
  notification_type: string,
  options: IntentOptions & TimingOptions,
  readStdin: () => Promise<string>,
): Promise<IntentInput> {
  return {
    notification_type,
    audience: audienceFrom(options),
    payload: asPayload(await jsonFrom('payload', options.payload ?? '{}', readStdin)),
    ...(options.channel && { channels: options.channel }),
    ...(options.template && { template: options.template }),
    ...(options.thread && { thread: threadFrom(options.thread) }),
    ...(options.sendAt && { send_at: options.sendAt }),
    ...(options.expiresAt && { expires_at: options.expiresAt }),
  }
}

function audienceFrom({ to, email, topic, tenantWide }: IntentOptions): Audience {
  const given: Audience[] = [
    ...(to ? [{ kind: 'users' as const, user_ids: to }] : []),
    ...(email ? [{ kind: 'addresses' as const, channel: 'email' as const, addresses: email }] : []),
    ...(topic === undefined ? [] : [{ kind: 'topic' as const, topic }]),
    ...(tenantWide ? [{ kind: 'tenant' as const }] : []),
  ]
  const [audience, second] = given
  if (audience === undefined || second !== undefined) {
    throw new ArgumentMistake(
      'say whom to notify with exactly one of --to, --email, --topic and --tenant-wide',
    )
  }
  return audience
}

function threadFrom(given: string): NonNullable<IntentInput['thread']> {
  const [kind = '', ...id] = given.split('/')
  if (kind === '' || id.length === 0) throw new ArgumentMistake('expected --thread to look like issue/42')
  return { kind, id: id.join('/') }
}

function asPayload(given: unknown): IntentInput['payload'] {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    return given as IntentInput['payload']
  }
  throw new ArgumentMistake('the payload must be a JSON object such as {"title":"Hello"}')
}
