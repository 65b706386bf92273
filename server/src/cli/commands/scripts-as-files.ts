/** `carillon scripts push`, `pull` and `test`: scripts as files in a repository. */
import { existsSync, statSync } from 'node:fs'
import type { ScriptTest, TestScript } from '@carillon/contract'
import { CarillonError, type Client } from '@carillon/sdk'
import type { Command } from 'commander'
import type { Invocation, Open } from '../invocation.ts'
import { printable } from '../output/printable.ts'
import type { Printer } from '../output/printer.ts'
import type { Column } from '../output/table.ts'
import { findByName, findScript, findScriptId } from './find-script.ts'
import { jsonFrom, reportMistakes } from './json-argument.ts'
import { readScriptFile, readScriptFolder, type ScriptFile, writeScriptFile } from './script-folder.ts'
import { runSamples, type SampleResult } from './script-samples.ts'
import { FolderMistake } from './template-folder.ts'

/** The server says what is wrong with it. */
type SampleEvent = TestScript['event']

export function addScriptFiles(scripts: Command, open: Open): void {
  scripts
    .command('push')
    .argument('<folder>', 'scripts as files')
    .description('save the scripts of a folder; what has not changed stays as it is')
    .action(async (folder: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const files = await orMistake(command, readScriptFolder(folder))
      const pushed = await push(connect(), files)
      print.list(pushed, MOVED_COLUMNS, { empty: 'The folder has no scripts.' })
    })

  scripts
    .command('pull')
    .argument('<folder>', 'where to write them')
    .argument('[names...]', 'only these')
    .description('write scripts into a folder as files')
    .action(async (folder: string, names: string[], _options, command: Command) => {
      const { connect, print } = open(command)
      const pulled = await pull(connect(), folder, names)
      print.list(pulled, MOVED_COLUMNS, { empty: 'No scripts.' })
    })

  scripts
    .command('test')
    .argument('<what>', 'a folder or file with samples, or the name of a saved script')
    .option('--event <json>', 'what a saved script shall see: a JSON object, @file, or - for stdin')
    .description('run scripts without effects: the samples of files, or a saved script')
    .action(async (what: string, { event }: { event?: string }, command: Command) => {
      const invocation = open(command)
      const isFolder = existsSync(what) && statSync(what).isDirectory()
      const isFile = !isFolder && what.endsWith('.js')
      if (isFolder) return showSamples(invocation, await orMistake(command, readScriptFolder(what)))
      if (isFile) return showSamples(invocation, [await orMistake(command, readScriptFile(what))])
      return reportMistakes(command, () => testSaved(invocation, what, event))
    })
}

/** Reports what is wrong with a file as a mistake in the arguments. */
export async function orMistake<Found>(command: Command, reading: Promise<Found>): Promise<Found> {
  return reading.catch(error => {
    if (error instanceof FolderMistake) command.error(`error: ${error.message}`)
    throw error
  })
}

interface Moved {
  script: string
  result: string
}

/** Stops at the first mistake and can simply be run again. */
async function push(client: Client, files: ScriptFile[]): Promise<Moved[]> {
  const pushed: Moved[] = []
  for (const file of files)
    pushed.push({ script: file.name, result: await pushOne(client, file).catch(naming(file.name)) })
  return pushed
}

/** What the files do not mention is left as it is. */
async function pushOne(client: Client, { name, source, settings }: ScriptFile): Promise<string> {
  const before = await findByName(client, name)
  if (before === undefined) {
    await client.scripts.create({ name, source, ...settings })
    return 'created'
  }
  const { version } = await client.scripts.update(before.id, { source, ...settings })
  return version === before.version ? `version ${version}, unchanged` : `saved as version ${version}`
}

/** Of many files, the error has to say which one is at fault. */
const naming = (name: string) => (error: unknown) => {
  if (error instanceof CarillonError) error.message = `${name}: ${error.message}`
  throw error
}

async function pull(client: Client, folder: string, names: string[]): Promise<Moved[]> {
  const pulled: Moved[] = []
  const wanted = names.length > 0 ? names : await everyId(client)
  for (const given of wanted) {
    const script = await findScript(client, given)
    const isWritten = await writeScriptFile(folder, script)
    pulled.push({ script: script.name, result: isWritten ? 'written' : 'unchanged' })
  }
  return pulled
}

/** Not the names: one may look like an id. */
async function everyId(client: Client): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of client.scripts.all()) ids.push(id)
  return ids
}

const MOVED_COLUMNS: Column<Moved>[] = [
  { head: 'script', value: row => row.script },
  { head: 'result', value: row => row.result },
]

async function showSamples(
  { connect, print, endWithFailure }: Invocation,
  files: ScriptFile[],
): Promise<void> {
  const results = await runSamples(connect(), files)
  const { green, red } = print.colors
  const columns: Column<SampleResult>[] = [
    { head: 'script', value: row => row.script },
    { head: 'sample', value: row => row.sample },
    {
      head: 'result',
      value: row => (row.passed ? 'passed' : row.difference),
      paint: (text, row) => (row.passed ? green : red)(text),
    },
  ]
  print.list(results, columns, { empty: 'There are no samples: <name>.test.json beside <name>.js has them.' })
  if (results.some(result => !result.passed)) endWithFailure()
}

async function testSaved(
  { connect, print, terminal, endWithFailure }: Invocation,
  given: string,
  event: string | undefined,
): Promise<void> {
  const sample = event === undefined ? undefined : await jsonFrom('event', event, terminal.readStdin)
  const client = connect()
  const id = await findScriptId(client, given)
  const test = await client.scripts.test(
    id,
    sample === undefined ? undefined : { event: sample as SampleEvent },
  )
  print.show(test, () => renderTest(test, print))
  if (test.status === 'failed') endWithFailure()
}

function renderTest(test: ScriptTest, { colors }: Printer): string {
  const outcome =
    test.status === 'succeeded'
      ? `${colors.green('✓')} succeeded: ${printable(JSON.stringify(test.result))}`
      : `${colors.red('✗')} ${test.failure_kind}: ${printable(test.error)}`
  const spent = colors.dim(`${test.duration_ms} ms, ${test.cpu_ms} ms of processor time`)
  return [
    `${outcome}  ${spent}`,
    ...test.logs.map(({ level, message }) => `  ${colors.dim(level)}  ${printable(message)}`),
    ...test.effects.map(effect => `  ${colors.bold('would')}  ${printable(JSON.stringify(effect))}`),
  ].join('\n')
}
