/** Whether a recorded pid still belongs to the same process: pids are reused, above all in containers. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface RunningProcess {
  /** Equal for the same process, different for a later one with the same pid, even after a reboot. */
  identity: string
  command: string
}

/** Describes a live process; undefined when there is none. A zombie no longer holds anything and counts as gone. */
export function findProcess(pid: number): RunningProcess | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return process.platform === 'linux' ? readProc(pid) : askPs(pid)
}

function readProc(pid: number): RunningProcess | undefined {
  const stat = readOrUndefined(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  // The second field is the program's name in parentheses and may contain spaces, so count from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startedTicks] = [fields[0], fields[19]]
  if (state === 'Z' || state === 'X') return undefined
  const boot = readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  const command = (readOrUndefined(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ').trim()
  return { identity: `${boot}/${startedTicks}`, command }
}

function askPs(pid: number): RunningProcess | undefined {
  try {
    const ask = (field: string) =>
      execFileSync('ps', ['-ww', '-o', `${field}=`, '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    if (ask('state').startsWith('Z')) return undefined
    return { identity: ask('lstart'), command: ask('command') }
  } catch {
    return undefined
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
