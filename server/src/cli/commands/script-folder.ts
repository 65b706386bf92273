/**
 * Scripts as files, so that a team can keep them beside its code:
 *
 *   <name>.js           the source
 *   <name>.json         {"description": "…", "timeout_ms": 5000, "cpu_ms": 500, "memory_mb": 16}, all of it optional
 *   <name>.test.json    [{"name": "…", "event": {…}, "responses": {…}, "kv": {…}, "expect": {"effects": […]}}]
 */
import { isUtf8 } from 'node:buffer'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Script, ScriptChanges, ScriptName, ScriptTest, TestScript } from '@carillon/contract'
import { z } from 'zod'
import { FolderMistake } from './template-folder.ts'

const Settings = ScriptChanges.pick({ description: true, timeout_ms: true, cpu_ms: true, memory_mb: true })
export type ScriptFileSettings = z.output<typeof Settings>

const Sample = TestScript.omit({ source: true }).extend({
  name: z.string().min(1),
  expect: z
    .strictObject({
      status: ScriptTest.shape.status,
      failure_kind: ScriptTest.shape.failure_kind,
      error: z.string(),
      result: z.unknown(),
      logs: z.array(z.unknown()),
      effects: z.array(z.unknown()),
    })
    .partial(),
})
export type ScriptSample = z.output<typeof Sample>

export interface ScriptFile {
  name: string
  source: string
  settings: ScriptFileSettings
  samples: ScriptSample[]
}

export async function readScriptFolder(folder: string): Promise<ScriptFile[]> {
  const files = await readdir(folder).catch(error => {
    throw new FolderMistake(`${folder} cannot be read: ${(error as Error).message}`)
  })
  const names = files.filter(file => /^[^.]+\.js$/.test(file)).map(file => basename(file, '.js'))
  const lost = files.find(file => /^[^.]+\.test\.json$/.test(file) && !names.includes(file.split('.')[0]!))
  if (lost !== undefined) throw new FolderMistake(`${join(folder, lost)}: there is no script of this name`)
  return Promise.all(names.sort().map(name => readScriptFile(join(folder, `${name}.js`))))
}

export async function readScriptFile(file: string): Promise<ScriptFile> {
  const name = basename(file, '.js')
  const { error } = ScriptName.safeParse(name)
  if (error !== undefined) throw new FolderMistake(`${file}: ${error.issues[0]?.message}`)
  const beside = (extension: string) => join(dirname(file), `${name}${extension}`)
  return {
    name,
    source: await readSource(file),
    settings: await readJson(beside('.json'), Settings, {}),
    samples: await readJson(beside('.test.json'), z.array(Sample), []),
  }
}

/** Reading bytes that are no UTF-8 would change them without a word. */
export async function readSource(file: string): Promise<string> {
  const bytes = await readFile(file).catch(error => {
    throw new FolderMistake(`${file} cannot be read: ${(error as Error).message}`)
  })
  if (!isUtf8(bytes)) throw new FolderMistake(`${file} is not UTF-8`)
  return bytes.toString('utf8')
}

const DEFAULTS = { description: '', timeout_ms: 10_000, cpu_ms: 1000, memory_mb: 32 }

/** Writes the files of a script that differ; says whether any did. */
export async function writeScriptFile(folder: string, script: Script): Promise<boolean> {
  await mkdir(folder, { recursive: true })
  // The name comes from the server, and becomes a path.
  const path = join(folder, ScriptName.parse(script.name))
  const { description, timeout_ms, cpu_ms, memory_mb } = script
  const settings = { description, timeout_ms, cpu_ms, memory_mb }
  const isUsual = JSON.stringify(settings) === JSON.stringify(DEFAULTS)
  const isWritten = await writeIfOther(`${path}.js`, script.source)
  const hasSettings = (await readText(`${path}.json`)) !== undefined
  if (isUsual && !hasSettings) return isWritten
  return (await writeIfOther(`${path}.json`, `${JSON.stringify(settings, null, 2)}\n`)) || isWritten
}

async function writeIfOther(file: string, text: string): Promise<boolean> {
  if ((await readText(file)) === text) return false
  await writeFile(file, text)
  return true
}

async function readJson<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  otherwise: z.output<Schema>,
): Promise<z.output<Schema>> {
  const text = await readText(file)
  if (text === undefined) return otherwise
  try {
    return schema.parse(JSON.parse(text))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message
    throw new FolderMistake(`${file}: ${reason}`)
  }
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
