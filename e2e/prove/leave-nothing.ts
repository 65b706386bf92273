/** A folder for everything a run writes, and its end: what still runs or is mounted in there goes too. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '../../server/test/wait-for.ts'
import { isAlive } from '../data-folder.ts'

const PREFIX = 'carillon-prove-'

/** The name has our pid, so that a later run knows whether we are gone. */
export function makeScratch(): string {
  const scratch = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`))
  chmodSync(scratch, 0o755) // When root runs it, PostgreSQL's own user has to be able to enter.
  return scratch
}

/** Runs that were killed could not clean up. */
export async function sweepKilledRuns(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter(name => name.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0])
    if (!isAlive(pid)) await removeScratch(join(tmpdir(), name))
  }
}

export async function removeScratch(scratch: string): Promise<void> {
  for (const pid of processesIn(scratch)) {
    // What PostgreSQL takes for an immediate shutdown; it is the only program that may be left.
    process.kill(pid, 'SIGQUIT')
    await waitFor(async () => !isAlive(pid), { what: `${pid} to end` }).catch(() =>
      process.kill(pid, 'SIGKILL'),
    )
  }
  for (const place of mountsIn(scratch)) execFileSync('umount', [place])
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 })
}

/** Servers that were started on a folder in there and have lost the process that watched them. */
function processesIn(scratch: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && readOrEmpty(`/proc/${pid}/cmdline`).includes(`-D\0${scratch}/`))
}

function mountsIn(scratch: string): string[] {
  return readOrEmpty('/proc/mounts')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
    .filter(place => place.startsWith(`${scratch}/`))
    .reverse()
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
