/** Every command in README.md and docs/, executed in order against a server that was started as they say. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { freePort } from '../server/test/free-port.ts'
import { type NatsProcess, startNats } from '../server/test/nats-process.ts'
import { type HttpReceiver, startHttpReceiver } from '../server/test/receivers/http-receiver.ts'
import { type RedisProcess, startRedis } from '../server/test/redis-process.ts'
import { canRun } from '../server/test/server-process.ts'
import { waitFor } from '../server/test/wait-for.ts'
import { type CarillonProcess, runCarillon } from './carillon-process.ts'
import { type DataFolder, makeDataFolder } from './data-folder.ts'
import { type Block, listDocuments, readBlocks, repository, splitCommands } from './docs/blocks.ts'
import { AFTER, BEFORE, LANGUAGES, NOT_RUN, STANDS_FOR } from './docs/exceptions.ts'
import { makeStandIns, type StandIns } from './docs/stand-ins.ts'

// A guide runs dozens of programs, possibly on a machine that is busy with something else.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 90_000 })

const run = promisify(execFile)
let folder: DataFolder
let directory: string
let receiver: HttpReceiver
let carillon: CarillonProcess
let database: pg.Client
let redis: RedisProcess
let nats: NatsProcess
let standIns: StandIns
let port: number
const usedExceptions = new Set<unknown>()

beforeAll(async () => {
  folder = makeDataFolder(inject('scratchDir'))
  directory = dirname(folder.path)
  for (const name of ['examples', 'node_modules']) symlinkSync(join(repository, name), join(directory, name))
  standIns = makeStandIns(directory)
  receiver = await startHttpReceiver()
  port = await freePort()
  if (canRun('redis-server')) redis = await startRedis(directory, false)
  if (canRun('nats-server')) nats = await startNats(directory, 1)
  carillon = runCarillon(['start'], {
    PORT: String(port),
    CARILLON_DATA_DIR: folder.path,
    CARILLON_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...brokers(),
    CARILLON_STREAMS: JSON.stringify([
      ...(redis === undefined ? [] : [{ name: 'orders', url: redis.url, key: 'intents' }]),
      ...(nats === undefined ? [] : [{ name: 'billing', url: nats.urls, stream: 'INTENTS' }]),
    ]),
  })
  await carillon.announced()
  database = new pg.Client(folder.ownerUrl())
  await database.connect()
})
afterAll(async () => {
  await database?.end()
  await standIns?.stop()
  await carillon?.end('SIGTERM')
  await receiver?.stop()
  await redis?.kill()
  await nats?.stop()
  await folder?.remove()
})

const brokers = () => ({
  CARILLON_OUTPUT_REDIS_URL: redis?.url ?? '',
  CARILLON_OUTPUT_NATS_URL: nats?.urls ?? '',
})

/** Where the commands of the docs find what a reader has. */
const readersBrokers = () => ({ ...brokers(), REDIS_URL: redis?.url ?? '', NATS_URL: nats?.urls ?? '' })

// A document without code has nothing to run, and a test of it could not fail.
const withCode = listDocuments().filter(document => readBlocks(document).length > 0)

test.each(withCode)('%s says nothing that fails', document => follow(document))

test('README.md says nothing that fails after all the others', () => follow('README.md'))

test('no exception is left over', () => {
  const all = [...NOT_RUN, ...Object.values(BEFORE), ...Object.values(AFTER)]
  expect(all.filter(exception => !usedExceptions.has(exception))).toEqual([])
})

async function follow(document: string): Promise<void> {
  await prepare(BEFORE[document])
  for (const block of readBlocks(document)) await execute(document, block)
  await prepare(AFTER[document])
}

async function prepare(step: { statement: string } | undefined): Promise<void> {
  if (step === undefined) return
  usedExceptions.add(step)
  await database.query(step.statement)
}

async function execute(document: string, block: Block): Promise<void> {
  const { language, text, place } = block
  try {
    if (language === 'sh') await runCommands(document, block)
    else if (language === 'sql') await database.query(text)
    else if (language === 'js' || language === 'ts') await runScript(text)
    else if (language === 'json') JSON.parse(text)
    else if (language === 'python') await parsePython(text)
    else expect(Object.keys(LANGUAGES), 'a language that nobody checks').toContain(language)
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${place}: ${message}\n${stdout}${stderr}${loggedErrors()}`)
  }
}

/** What the server says of calls that failed on its side. */
function loggedErrors(): string {
  const lines = `${carillon.stdout}${carillon.stderr}`.split('\n')
  return lines.filter(line => line.includes('"level":50')).join('\n')
}

/** Each document has a shell of its own, as for a reader who starts there. */
async function runCommands(document: string, block: Block): Promise<void> {
  const state = join(directory, `${document.replaceAll('/', '-')}.state`)
  for (const command of splitCommands(block)) {
    const exception = NOT_RUN.find(each => command.startsWith(each.command))
    if (exception !== undefined) {
      usedExceptions.add(exception)
      continue
    }
    const script = `set -ae\n${existsSync(state) ? `. '${state}'\n` : ''}${await fill(document, command)}\nexport -p > '${state}'`
    const shell = run('sh', ['-c', script], {
      cwd: directory,
      env: { PATH: standIns.path, HOME: directory, ...readersBrokers() },
    })
    shell.child.stdin!.end()
    await shell
  }
}

/** The addresses of the docs become those of this test, and names in angle brackets what they stand for. */
async function fill(document: string, command: string): Promise<string> {
  let filled = command.replaceAll('localhost:8420', `127.0.0.1:${port}`)
  filled = filled.replaceAll('http://127.0.0.1:3000/webhooks', receiver.url)
  for (const [placeholder, name] of withoutComments(command).matchAll(/<([a-z_]+)>/g)) {
    const statement = STANDS_FOR[document]?.[name!]
    if (statement === undefined)
      throw new Error(`STANDS_FOR in docs/exceptions.ts does not know ${placeholder}`)
    const row = await waitFor(async () => (await database.query(statement)).rows[0], { what: placeholder })
    filled = filled.replaceAll(placeholder, String(Object.values(row)[0]))
  }
  return filled
}

function withoutComments(command: string): string {
  return command.replace(/\s#\s.*$/gm, '')
}

/** What is an example too is executed there. The others have no types, and may use what a reader has: `client`. */
async function runScript(text: string): Promise<void> {
  if (examples().some(source => source === text)) return
  const script = `import pg from 'pg'
    const client = new pg.Client(process.env.DATABASE_URL)
    await client.connect()
    ${text}
    await client.end()`
  const file = join(directory, 'block.mjs')
  writeFileSync(file, script)
  const settings = { CARILLON_URL: `http://127.0.0.1:${port}`, CARILLON_API_KEY: folder.apiKey() }
  await run(process.execPath, [file], {
    cwd: directory,
    env: { ...settings, ...readersBrokers(), DATABASE_URL: folder.ownerUrl() },
  })
}

function examples(): string[] {
  const parent = join(repository, 'examples')
  return readdirSync(parent, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(js|ts)$/.test(name) && !name.includes('node_modules'))
    .map(name => readFileSync(join(parent, name), 'utf8'))
}

async function parsePython(text: string): Promise<void> {
  const parse = run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', text])
  await parse.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
