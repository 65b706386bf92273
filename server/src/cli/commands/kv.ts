/** `carillon kv`: what scripts and applications remember. */
import { type KvCollection, type KvEntrySummary, MAX_COUNTED_ENTRIES } from '@carillon/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { type Invocation, type Open, positiveNumber } from '../invocation.ts'
import { firstRows } from '../output/first-rows.ts'
import { printable, printableJson } from '../output/printable.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { jsonFrom, reportMistakes } from './json-argument.ts'

type SetOptions = { ttl?: number; ifVersion?: number }

export function addKv(program: Command, open: Open): void {
  const kv = program.command('kv').description('what scripts and applications remember')

  kv.command('list', { isDefault: true })
    .argument('[collection]', 'its entries; without, all collections')
    .option('--prefix <text>', 'only keys that start with it')
    .description('collections, or the entries of one')
    .action((collection: string | undefined, { prefix }: { prefix?: string }, command: Command) => {
      if (collection !== undefined) return listEntries(open(command), collection, prefix)
      if (prefix !== undefined) command.error('error: --prefix needs a collection')
      return listCollections(open(command))
    })

  addEntryArguments(kv.command('get'))
    .description('the value of an entry; with --json also its version and times')
    .action(async (collection: string, key: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const entry = await connect().kv.get(collection, key)
      print.show(entry, () => printableJson(entry.value))
    })

  addEntryArguments(kv.command('set'))
    .argument('<value>', 'JSON, @file, or - for stdin')
    .option('--ttl <seconds>', 'how long it lives; without, for ever', positiveNumber)
    .option('--if-version <number>', 'only if the entry has this version; 0: only if there is none', version)
    .description('create or replace an entry')
    .action((collection: string, key: string, value: string, options: SetOptions, command: Command) =>
      reportMistakes(command, () => set(open(command), collection, key, value, options)),
    )

  addEntryArguments(kv.command('delete'))
    .option('--if-version <number>', 'only if the entry has this version', positiveNumber)
    .description('delete an entry')
    .action(async (collection: string, key: string, options: { ifVersion?: number }, command: Command) => {
      const { connect, print } = open(command)
      const { ifVersion } = options
      await connect().kv.delete(collection, key, ifVersion === undefined ? {} : { version: ifVersion })
      const text = `${print.colors.green('✓')} ${collection} ${printable(key)} deleted`
      print.show({ collection, key, deleted: true }, () => text)
    })
}

function addEntryArguments(command: Command): Command {
  return command.argument('<collection>').argument('<key>')
}

async function listCollections({ connect, print, limit }: Invocation): Promise<void> {
  const { rows, more } = await firstRows(connect().kv.collections, limit)
  print.list(rows, COLLECTION_COLUMNS, { empty: 'No collections.', more })
}

async function listEntries(
  { connect, print, limit }: Invocation,
  collection: string,
  prefix: string | undefined,
): Promise<void> {
  const client = connect()
  const query = prefix === undefined ? {} : { prefix }
  const { rows, more } = await firstRows(page => client.kv.list(collection, { ...query, ...page }), limit)
  print.list(rows, ENTRY_COLUMNS, { empty: 'No entries.', more })
}

async function set(
  { connect, print, terminal }: Invocation,
  collection: string,
  key: string,
  given: string,
  { ttl, ifVersion }: SetOptions,
): Promise<void> {
  const entry = await connect().kv.set(collection, key, {
    value: await jsonFrom('value', given, terminal.readStdin),
    ...(ttl !== undefined && { ttl_seconds: ttl }),
    ...(ifVersion !== undefined && { version: ifVersion }),
  })
  const expiry = entry.expires_at === null ? '' : `, expires at ${formatMoment(entry.expires_at)}`
  const text = `${print.colors.green('✓')} ${collection} ${printable(key)} has version ${entry.version}${expiry}`
  print.show(entry, () => text)
}

function version(given: string): number {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('Expected the version of an entry, or 0.')
  return Number(given)
}

const COLLECTION_COLUMNS: Column<KvCollection>[] = [
  { head: 'collection', value: row => row.collection, whole: true },
  {
    head: 'entries',
    value: ({ entries }) => (entries < MAX_COUNTED_ENTRIES ? entries : `${entries} or more`),
    whole: true,
  },
]

const ENTRY_COLUMNS: Column<KvEntrySummary>[] = [
  { head: 'key', value: row => row.key },
  { head: 'version', value: row => row.version, whole: true },
  { head: 'bytes', value: row => row.bytes, whole: true },
  { head: 'changed', value: row => formatMoment(row.updated_at), whole: true },
  { head: 'expires', value: row => formatMoment(row.expires_at), whole: true, optional: true },
]
