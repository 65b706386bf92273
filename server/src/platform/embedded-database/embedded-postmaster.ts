/** The running server: ends one that a killed Carillon left behind, launches ours, watches it and takes it down. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { type Owner, spawnOptions } from './embedded-owner.ts'
import { findProcess } from './running-process.ts'

export interface Postmaster {
  pid: number
  /** Resolves when the server is down, whoever ended it. */
  exited: Promise<string>
  stop(): Promise<void>
  /** For the last moment of a dying Node process, when nothing can be waited for. */
  stopWithoutWaiting(): void
}

/** The server ended before it was ready; `output` says why. */
export class StartRefused extends Error {
  readonly output: string
  constructor(output: string) {
    super(`PostgreSQL did not start: ${output || 'it ended without a word'}`)
    this.output = output
  }
}

type Phase = 'starting' | 'running' | 'stopping'

// Fast shutdown first; immediate when that hangs (the next start recovers); the last one only if it is frozen.
const escalation = [
  { signal: 'SIGINT', patienceMs: 10_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const

const pollMs = 20
const reportEveryMs = 10_000
const keptLines = 20

/**
 * Stops the server of this cluster that outlived its Carillon. Stopping beats adopting: we would not hear of an
 * adopted server's death, and it runs with the settings of the earlier start.
 */
export async function stopOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const file = readPostmasterFile(cluster)
  if (!file) return
  const running = findProcess(file.pid)
  if (!running) return
  if (!isPostmaster(running.command, file.dataDir)) {
    // The pid was reused, common in containers. PostgreSQL would only see "alive" and refuse. Should backends of
    // the old server live on, their shared memory still makes it refuse, so removing the file is safe.
    rmSync(join(cluster, 'postmaster.pid'), { force: true })
    return
  }
  log(`stopping the PostgreSQL that an earlier run left behind (process ${file.pid})`)
  await takeDown(
    signal => process.kill(file.pid, signal),
    () => findProcess(file.pid)?.identity !== running.identity,
  )
}

/** Launches the server and resolves when it accepts connections; throws StartRefused when it ends before that. */
export async function launch(options: {
  postgres: string
  cluster: string
  owner: Owner
  settings: Record<string, string>
  log: (line: string) => void
}): Promise<Postmaster> {
  const { postgres, cluster, owner, settings, log } = options
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Its own process group: Ctrl-C in the terminal must reach Carillon alone, which still needs its database to stop.
  const child = spawn(postgres, ['-D', cluster, ...flags], {
    ...spawnOptions(owner),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let phase: Phase = 'starting'
  const output = followOutput(child, line => {
    if (phase === 'running' && isWorthTelling(line)) log(`postgres: ${line}`)
  })
  const exited = watchExit(child, output)
  let isDown = false
  void exited.then(() => {
    isDown = true
  })

  await untilReady(cluster, child, () => isDown, log)
  if (isDown) throw new StartRefused(output.join('\n'))
  phase = 'running'

  const stop = async () => {
    phase = 'stopping'
    await takeDown(
      signal => child.kill(signal),
      () => isDown,
    )
  }
  return { pid: child.pid!, exited, stop, stopWithoutWaiting: () => void child.kill('SIGINT') }
}

/** The status line of postmaster.pid is what pg_ctl waits for too; crash recovery may take its time. */
async function untilReady(
  cluster: string,
  child: ChildProcess,
  isDown: () => boolean,
  log: (line: string) => void,
): Promise<void> {
  let nextReport = Date.now() + reportEveryMs
  while (!isDown()) {
    const file = readPostmasterFile(cluster)
    if (file?.pid === child.pid && file?.status === 'ready') return
    if (Date.now() >= nextReport) {
      log('PostgreSQL is still starting, probably recovering from a crash')
      nextReport += reportEveryMs
    }
    await delay(pollMs)
  }
}

async function takeDown(send: (signal: NodeJS.Signals) => void, isDown: () => boolean): Promise<void> {
  for (const { signal, patienceMs } of escalation) {
    if (isDown()) return
    try {
      send(signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    const deadline = Date.now() + patienceMs
    while (!isDown() && Date.now() < deadline) await delay(pollMs)
  }
  if (!isDown()) throw new Error('PostgreSQL could not be stopped, not even by SIGKILL.')
}

function followOutput(child: ChildProcess, listener: (line: string) => void): string[] {
  const recent: string[] = []
  createInterface({ input: child.stderr! }).on('line', line => {
    recent.push(line)
    if (recent.length > keptLines) recent.shift()
    listener(line)
  })
  return recent
}

/** Failed statements are the application's business; trouble of the server itself is the operator's. */
function isWorthTelling(line: string): boolean {
  return /\b(WARNING|FATAL|PANIC):|terminated by signal/.test(line)
}

function watchExit(child: ChildProcess, output: string[]): Promise<string> {
  return new Promise(resolve => {
    child.once('error', error => {
      output.push(error.message)
      resolve(`PostgreSQL could not be launched: ${error.message}`)
    })
    child.once('exit', async (code, signal) => {
      // The last lines may still be in the pipe, and a backend that lives a little longer keeps the pipe open.
      await Promise.race([new Promise(closed => child.once('close', closed)), delay(300)])
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
      resolve([`PostgreSQL ${how}`, ...output.slice(-5)].join('\n'))
    })
  })
}

function isPostmaster(command: string, dataDir: string): boolean {
  return command.includes('postgres') && command.includes(`-D ${dataDir}`)
}

interface PostmasterFile {
  pid: number
  dataDir: string
  status: string
}

function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), dataDir: lines[1] ?? '', status: (lines[7] ?? '').trim() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
