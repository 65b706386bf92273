/**
 * Processor time that a PostgreSQL server and all its processes have used so far. Wall-clock rates vary with whatever
 * else runs on the machine; this hardly does. Linux only, undefined elsewhere.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** /proc counts the time of ended children in hundredths of a second on every Linux. */
const TICK_MS = 10

export function postgresCpuMs(dataDirectory: string): number | undefined {
  if (process.platform !== 'linux') return undefined
  const postmaster = readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8').split('\n')[0]!
  const ended = endedChildrenMs(postmaster)
  return runningChildren(postmaster).reduce((sum, pid) => sum + ownMs(pid), ended)
}

function runningChildren(parent: string): string[] {
  return readdirSync('/proc').filter(name => /^[0-9]+$/.test(name) && statOf(name)?.[1] === parent)
}

function endedChildrenMs(pid: string): number {
  const stat = statOf(pid) ?? []
  return (Number(stat[13]) + Number(stat[14])) * TICK_MS
}

/** The fields after the program's name, which may itself contain spaces; undefined when the process is gone. */
function statOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
  } catch {
    return undefined
  }
}

function ownMs(pid: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}
