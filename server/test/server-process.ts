/** A server of its own for a test, from the PATH; where it is missing, root installs it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

export interface ServerProcess {
  start(): void
  /** Ends it as a crash would. */
  kill(): Promise<void>
  /** Keeps it from answering while its connections stay open. */
  pause(): void
  resume(): void
}

export function createServerProcess(command: string, options: string[]): ServerProcess {
  let server: ChildProcess | undefined
  return {
    start() {
      server = spawn(command, options, { stdio: 'ignore' })
    },
    async kill() {
      if (server?.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGKILL')
      await ended
    },
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
  }
}

/** Whether the command is there, if need be after installing its package. `harmless` is what it can be asked. */
export function canRun(command: string, packageName = command, harmless = '--version'): boolean {
  const isThere = () => spawnSync(command, [harmless]).status === 0
  if (isThere()) return true
  if (process.getuid?.() !== 0) return false
  try {
    install(packageName)
  } catch {
    return false
  }
  return isThere()
}

/** A fresh image has no package lists yet; a second test file waits until the first one has installed it. */
function install(name: string): void {
  const run = (...command: string[]) =>
    execFileSync('apt-get', ['-o', 'DPkg::Lock::Timeout=100', ...command], {
      stdio: 'ignore',
      timeout: 120_000,
    })
  const add = () => run('install', '-y', '--no-install-recommends', name)
  try {
    add()
  } catch {
    run('update')
    add()
  }
}
