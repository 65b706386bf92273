/** `carillon templates`: list, show and preview templates, and publish a folder of files. */
import { readFile } from 'node:fs/promises'
import { CHANNELS, type Channel, type Preview, type Template, type TemplateSummary } from '@carillon/contract'
import { CarillonError, type Client, type TemplateKey } from '@carillon/sdk'
import { Argument, type Command } from 'commander'
import { type Open, positiveNumber } from '../invocation.ts'
import { type Field, renderFields } from '../output/fields.ts'
import { firstRows } from '../output/first-rows.ts'
import { printableLines } from '../output/printable.ts'
import type { Printer } from '../output/printer.ts'
import type { Column } from '../output/table.ts'
import { formatMoment } from '../output/times.ts'
import { FolderMistake, readTemplateFolder, type TemplateFolder } from './template-folder.ts'

export function addTemplates(program: Command, open: Open): void {
  const templates = program.command('templates').description('what notifications say')

  templates
    .command('list', { isDefault: true })
    .option('--name <name>', 'only this template')
    .description('by name, channel and language')
    .action(async ({ name }: { name?: string }, command: Command) => {
      const { connect, print, limit } = open(command)
      const client = connect()
      const { rows, more } = await firstRows(page => client.templates.list({ name, ...page }), limit)
      const empty =
        'No templates: messages are made from their payload. carillon templates push <folder> adds templates.'
      print.list(rows, COLUMNS, { empty, more })
    })

  addKeyArguments(templates.command('show'))
    .description('show the draft')
    .action(async (name: string, channel: Channel, locale: string, _options, command: Command) => {
      const { connect, print } = open(command)
      const template = await connect().templates.get({ name, channel, locale })
      print.show(template, () => renderTemplate(template, print))
    })

  addKeyArguments(templates.command('preview'))
    .option('--data <json>', 'a payload: a JSON object, @file, or - for stdin; by default the samples')
    .option('--at <version>', 'a published version instead of the draft', positiveNumber)
    .option('--timezone <zone>', 'time zone of the recipient, for dates; UTC by default')
    .option('--html', 'write only the HTML, for a browser')
    .description('show a template filled in with data')
    .action(
      async (
        name: string,
        channel: Channel,
        locale: string,
        options: { data?: string; at?: number; timezone?: string; html?: boolean },
        command: Command,
      ) => {
        const { connect, print, terminal } = open(command)
        const data = await readData(options.data ?? '{}', terminal.readStdin).catch(error =>
          command.error(`error: ${(error as Error).message}`),
        )
        const preview = await connect().templates.preview(
          { name, channel, locale },
          {
            data,
            ...(options.at !== undefined && { version: options.at }),
            ...(options.timezone !== undefined && { timezone: options.timezone }),
          },
        )
        print.show(preview, () =>
          printableLines(options.html ? (preview.html ?? '') : renderPreview(preview)),
        )
      },
    )

  templates
    .command('push')
    .argument('<folder>', 'templates as files')
    .option('--draft', 'only save; publish nothing')
    .option('--replace-waiting', 'use the new versions also for messages that are already waiting')
    .description('save a folder of files and publish what changed')
    .action(
      async (folder: string, options: { draft?: boolean; replaceWaiting?: boolean }, command: Command) => {
        const { connect, print } = open(command)
        const files = await readTemplateFolder(folder).catch(error => {
          if (error instanceof FolderMistake) command.error(`error: ${error.message}`)
          throw error
        })
        const pushed = await push(connect(), files, options)
        print.list(pushed, PUSHED_COLUMNS, { empty: 'The folder is empty.', more: false })
      },
    )
}

function addKeyArguments(command: Command): Command {
  return command
    .argument('<name>', 'name of the template')
    .addArgument(new Argument('<channel>').choices(CHANNELS))
    .argument('[locale]', 'language', 'en')
}

interface Pushed {
  what: string
  result: string
}

/** First pushes what templates use, then the templates. Stops at the first mistake and can simply be run again. */
async function push(
  client: Client,
  files: TemplateFolder,
  options: { draft?: boolean; replaceWaiting?: boolean },
): Promise<Pushed[]> {
  const pushed: Pushed[] = []
  const note = (what: string, result: string) => void pushed.push({ what, result })
  if (files.branding !== undefined) {
    await client.branding.update(files.branding)
    note('branding', 'saved')
  }
  for (const { locale, messages } of files.translations) {
    await client.translations
      .put(locale, { messages })
      .catch(error => throwNaming(`translations ${locale}`, error))
    note(`translations ${locale}`, 'saved')
  }
  for (const { kind, name, source } of files.parts) {
    await client.templateParts
      .put(kind, name, { source })
      .catch(error => throwNaming(`${kind} ${name}`, error))
    note(`${kind} ${name}`, 'saved')
  }
  for (const { key, template } of files.templates) {
    const saved = await client.templates.put(key, template).catch(error => throwNaming(titleOf(key), error))
    const before = saved.published_version
    if (options.draft) {
      note(titleOf(key), 'saved as draft')
      continue
    }
    const how = { only_if_changed: true, replace_waiting: options.replaceWaiting ?? false }
    const { version } = await client.templates
      .publish(key, how)
      .catch(error => throwNaming(titleOf(key), error))
    note(
      titleOf(key),
      version === before ? `version ${version}, unchanged` : `published as version ${version}`,
    )
  }
  return pushed
}

/** Of many files, the error has to say which one is at fault. */
function throwNaming(what: string, error: unknown): never {
  if (error instanceof CarillonError) error.message = `${what}: ${error.message}`
  throw error
}

const titleOf = ({ name, channel, locale }: TemplateKey): string => `${name} ${channel} ${locale}`

async function readData(given: string, readStdin: () => Promise<string>): Promise<Record<string, unknown>> {
  const text =
    given === '-' ? await readStdin() : given.startsWith('@') ? await readFile(given.slice(1), 'utf8') : given
  const data: unknown = JSON.parse(text)
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new Error('--data must be a JSON object')
  return data as Record<string, unknown>
}

const COLUMNS: Column<TemplateSummary>[] = [
  { head: 'name', value: template => template.name },
  { head: 'channel', value: template => template.channel },
  { head: 'locale', value: template => template.locale },
  { head: 'version', value: template => String(template.published_version ?? 'draft') },
  { head: 'state', value: template => (template.is_active ? 'active' : 'off') },
  { head: 'changed', value: template => formatMoment(template.updated_at), whole: true },
]

const PUSHED_COLUMNS: Column<Pushed>[] = [
  { head: 'what', value: row => row.what },
  { head: 'result', value: row => row.result },
]

function renderTemplate(template: Template, { colors }: Printer): string {
  const fields: Field[] = [
    ['template', titleOf(template)],
    ['version', template.published_version ?? 'never published'],
    ['state', template.is_active ? 'active' : 'off'],
    ['changed', formatMoment(template.updated_at)],
    ['variables', template.variables.map(({ name, required }) => (required ? name : `${name}?`)).join(' ')],
    ['layout', template.layout],
    ['subject', template.subject],
    ['title', template.title],
  ]
  return [renderFields(fields, colors), '', printableLines(template.body)].join('\n')
}

function renderPreview({ subject, text }: Preview): string {
  return subject === '' ? text : `${subject}\n\n${text}`
}
