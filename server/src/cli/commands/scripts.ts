/** `carillon scripts`: code that runs when something happens. */
import type { NewScript, Script, ScriptSummary, ScriptVersion } from '@carillon/contract'
import type { Command } from 'commander'
import { type Open, positiveNumber } from '../invocation.ts'
import { renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import { printableLines } from '../output/printable.ts'
import type { Printer } from '../output/printer.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { findScript } from './find-script.ts'
import { addInvoke } from './invoke-script.ts'
import { readSource } from './script-folder.ts'
import { addScriptFiles, orMistake } from './scripts-as-files.ts'

type CreateOptions = { description?: string; timeoutMs?: number; cpuMs?: number; memoryMb?: number }

export function addScripts(program: Command, open: Open): void {
  const scripts = program.command('scripts').description('code that runs when something happens')

  scripts
    .command('list', { isDefault: true })
    .description('by name')
    .action(async (_options, command: Command) => {
      const { connect, print, limit } = open(command)
      const { rows, more } = await firstRows(connect().scripts.list, limit)
      print.list(rows, COLUMNS, { empty: 'No scripts. carillon scripts push <folder> adds some.', more })
    })

  scripts
    .command('show')
    .argument('<script>', 'its name or id')
    .option('--at <version>', 'an older version', positiveNumber)
    .description('one script with its source')
    .action(async (given: string, { at }: { at?: number }, command: Command) => {
      const { connect, print } = open(command)
      const client = connect()
      const script = await findScript(client, given)
      const version = at === undefined ? undefined : await client.scripts.version(script.id, at)
      const shown = { ...script, ...version }
      print.show(shown, () => renderScript(shown, print))
    })

  scripts
    .command('create')
    .argument('<name>', 'lower-case letters, digits, - and _')
    .argument('<file>', 'the source; - for stdin')
    .option('--description <text>')
    .option('--timeout-ms <ms>', 'longest run by the clock', positiveNumber)
    .option('--cpu-ms <ms>', 'most processor time of a run', positiveNumber)
    .option('--memory-mb <mib>', 'most memory of a run', positiveNumber)
    .description('save a script; what it may do is what the key may do')
    .action(async (name: string, file: string, options: CreateOptions, command: Command) => {
      const { connect, print, terminal } = open(command)
      const source = await orMistake(command, file === '-' ? terminal.readStdin() : readSource(file))
      const script = await connect().scripts.create({ name, source, ...settingsOf(options) })
      print.show(script, () => script.id)
    })

  scripts
    .command('versions')
    .argument('<script>', 'its name or id')
    .description('newest first')
    .action(async (given: string, _options, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const { id } = await findScript(client, given)
      const { rows, more } = await firstRows(page => client.scripts.versions(id, page), limit)
      print.list(rows, VERSION_COLUMNS, { empty: 'No versions.', more })
    })

  scripts
    .command('rollback')
    .argument('<script>', 'its name or id')
    .argument('<version>', 'the version whose source shall run again', positiveNumber)
    .description('run an older version again, as a new one with the scopes of your key')
    .action(async (given: string, version: number, _options, command: Command) => {
      const { connect, print } = open(command)
      const client = connect()
      const script = await client.scripts.rollBack((await findScript(client, given)).id, { version })
      const said = `version ${script.version}, which is version ${version} again`
      print.show(script, () => `${print.colors.green('✓')} ${script.name} now runs ${said}`)
    })

  scripts
    .command('delete')
    .argument('<script>', 'its name or id')
    .description('delete a script that no trigger runs')
    .action(async (given: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const client = connect()
      const { id, name } = await findScript(client, given)
      await client.scripts.delete(id)
      print.show({ id, deleted: true }, () => `${print.colors.green('✓')} ${name} deleted`)
    })

  scripts
    .command('types')
    .description('TypeScript declarations of what scripts can use, for editors')
    .action(async (_options, command: Command) => {
      const { connect, print } = open(command)
      const types = await connect().scripts.types()
      print.show({ types }, () => types.trimEnd())
    })

  addInvoke(scripts, open)
  addScriptFiles(scripts, open)
}

function settingsOf({ description, timeoutMs, cpuMs, memoryMb }: CreateOptions): Partial<NewScript> {
  return {
    ...(description !== undefined && { description }),
    ...(timeoutMs !== undefined && { timeout_ms: timeoutMs }),
    ...(cpuMs !== undefined && { cpu_ms: cpuMs }),
    ...(memoryMb !== undefined && { memory_mb: memoryMb }),
  }
}

const COLUMNS: Column<ScriptSummary>[] = [
  { head: 'id', value: script => script.id, whole: true },
  { head: 'name', value: script => script.name },
  { head: 'version', value: script => String(script.version) },
  { head: 'changed', value: script => formatMoment(script.updated_at), whole: true },
  { head: 'description', value: script => script.description, optional: true },
]

const VERSION_COLUMNS: Column<ScriptVersion>[] = [
  { head: 'version', value: row => `${row.version}${row.is_current ? ' (runs)' : ''}` },
  { head: 'saved', value: row => formatMoment(row.created_at), whole: true },
  { head: 'author', value: row => row.author },
  { head: 'bytes', value: row => String(row.source_bytes) },
  { head: 'restored from', value: row => String(row.restored_from ?? ''), optional: true },
]

function renderScript(script: Script, { colors }: Printer): string {
  const fields = renderFields(
    [
      ['id', script.id],
      ['name', script.name],
      ['description', script.description],
      ['version', script.version],
      ['author', script.author],
      ['author may', script.author_scopes.join(' ')],
      ['limits', `${script.timeout_ms} ms, ${script.cpu_ms} ms of processor time, ${script.memory_mb} MiB`],
      ['changed', formatMoment(script.updated_at)],
    ],
    colors,
  )
  return [fields, '', printableLines(script.source.trimEnd())].join('\n')
}
