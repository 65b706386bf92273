/**
 * Templates as files, so that a team can keep them beside its code:
 *
 *   branding.json                     layouts/<name>.html      partials/<name>.html
 *   translations/<locale>.json        {"cart.items": "…"}
 *   <template>/variables.json         [{"name": "order", "sample": 1842}]
 *   <template>/email.<locale>.html    head lines between --- and ---, then the body
 *   <template>/email.<locale>.txt     the text part; without it, the text is made from the HTML
 *   <template>/<channel>.<locale>.txt for the other channels
 */
import { readdir, readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { type BrandingChanges, CHANNELS, type Channel, type TemplateInput } from '@carillon/contract'
import type { TemplateKey } from '@carillon/sdk'

export interface TemplateFile {
  key: TemplateKey
  template: TemplateInput
}

export interface TemplateFolder {
  branding: BrandingChanges | undefined
  parts: { kind: 'layout' | 'partial'; name: string; source: string }[]
  translations: { locale: string; messages: Record<string, string> }[]
  templates: TemplateFile[]
}

/** The folder cannot be understood; the message says which file and why. */
export class FolderMistake extends Error {}

const PART_FOLDERS = { layouts: 'layout', partials: 'partial' } as const
const HEAD_FIELDS = ['subject', 'title', 'layout']

export async function readTemplateFolder(folder: string): Promise<TemplateFolder> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    throw new FolderMistake(`${folder} cannot be read: ${(error as Error).message}`)
  })
  const found: TemplateFolder = { branding: undefined, parts: [], translations: [], templates: [] }
  for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.name === 'branding.json') found.branding = (await readJson(path)) as BrandingChanges
    else if (!entry.isDirectory()) continue
    else if (entry.name in PART_FOLDERS)
      found.parts.push(...(await readParts(path, PART_FOLDERS[entry.name as keyof typeof PART_FOLDERS])))
    else if (entry.name === 'translations') found.translations.push(...(await readTranslations(path)))
    else found.templates.push(...(await readTemplate(path, entry.name)))
  }
  return found
}

async function readParts(folder: string, kind: 'layout' | 'partial'): Promise<TemplateFolder['parts']> {
  const files = await filesOf(folder)
  return Promise.all(
    files.map(async file => ({ kind, name: basename(file, extname(file)), source: await readText(file) })),
  )
}

async function readTranslations(folder: string): Promise<TemplateFolder['translations']> {
  const files = await filesOf(folder)
  return Promise.all(
    files.map(async file => ({
      locale: basename(file, '.json'),
      messages: (await readJson(file)) as Record<string, string>,
    })),
  )
}

async function readTemplate(folder: string, name: string): Promise<TemplateFile[]> {
  const files = await filesOf(folder)
  const declared = files.find(file => basename(file) === 'variables.json')
  const variables =
    declared === undefined ? [] : ((await readJson(declared)) as NonNullable<TemplateInput['variables']>)
  const templates: TemplateFile[] = []
  for (const file of files) {
    if (file === declared) continue
    const { channel, locale, isText } = parseName(file)
    if (channel === 'email' && isText) continue
    const { head, body } = splitHead(await readText(file))
    const text = channel === 'email' ? await readOwnText(file, files) : undefined
    const key = { name, channel, locale }
    templates.push({ key, template: { ...head, body, ...(text !== undefined && { text }), variables } })
  }
  return templates
}

async function readOwnText(file: string, files: string[]): Promise<string | undefined> {
  const own = files.find(other => other === file.replace(/\.html$/, '.txt'))
  return own === undefined ? undefined : readText(own)
}

function parseName(file: string): { channel: Channel; locale: string; isText: boolean } {
  const [channel, locale, extension, ...more] = basename(file).split('.')
  const known = CHANNELS.find(name => name === channel)
  if (known === undefined || !locale || more.length > 0 || (extension !== 'html' && extension !== 'txt'))
    throw new FolderMistake(`${file}: expected a name such as email.en.html or sms.de.txt`)
  return { channel: known, locale, isText: extension === 'txt' }
}

/** One `field: value` per line, between two lines of ---. */
function splitHead(text: string): { head: Partial<TemplateInput>; body: string } {
  const found = /^---\r?\n([\s\S]*?)\r?\n---\r?\n/.exec(text)
  if (found === null) return { head: {}, body: text }
  const head = Object.fromEntries(
    found[1]!.split(/\r?\n/).map(line => {
      const [, field, value] = /^(\w+):\s*(.*)$/.exec(line) ?? []
      if (field === undefined || !HEAD_FIELDS.includes(field))
        throw new FolderMistake(`"${line}": expected one of ${HEAD_FIELDS.join(', ')}, a colon and a value`)
      return [field, field === 'layout' && value === 'none' ? null : value]
    }),
  )
  return { head, body: text.slice(found[0].length) }
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
  return names.sort().map(name => join(folder, name))
}

const readText = (file: string): Promise<string> => readFile(file, 'utf8')

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readText(file))
  } catch (error) {
    throw new FolderMistake(`${file}: ${(error as Error).message}`)
  }
}
