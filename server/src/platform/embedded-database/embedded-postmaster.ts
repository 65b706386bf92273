/** The running server: stops one that a killed Carillon left behind, then launches, watches and stops our own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { findProcess } from '../processes/running-process.ts'
import { type Owner, spawnOptions } from './embedded-owner.ts'

export interface Postmaster {
  pid: number
  /** Resolves when the server is down, whoever ended it. */
  exited: Promise<string>
  stop(): Promise<void>
  /** For the exit of the Node process, when nothing can be awaited any more. */
  stopWithoutWaiting(): void
}

/** The server ended before it was ready; `output` says why. */
export class StartRefused extends Error {
  readonly output: string
  constructor(output: string) {
    super(`PostgreSQL did not start: ${output || 'it ended without any output'}`)
    this.output = output
  }
}

type Phase = 'starting' | 'running' | 'stopping'

// First a fast shutdown; when that hangs, an immediate one (the next start recovers); SIGKILL only for a frozen server.
const escalation = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const

const pollMs = 20
const reportEveryMs = 10_000
const keptLines = 20

/**
 * Stops a server of this cluster that outlived its Carillon. Stopping is better than adopting it: we would not notice
 * when an adopted server dies, and it would keep the settings of the earlier start.
 */
export async function stopOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const file = readPostmasterFile(cluster)
  if (!file) return
  const running = findProcess(file.pid)
  if (!running) return
  if (!isPostmaster(running.command, file.dataDir)) {
    // The pid was reused, as is common in containers. PostgreSQL would only see that the pid is alive, and refuse.
    // Removing the file is safe: if backends of the old server live on, their shared memory still makes it refuse.
    rmSync(join(cluster, 'postmaster.pid'), { force: true })
    return
  }
  log(`stopping the PostgreSQL that an earlier run left behind (process ${file.pid})`)
  await takeDown(
    signal => process.kill(file.pid, signal),
    () => findProcess(file.pid)?.identity !== running.identity,
  )
}

/** The port of the server that runs on this cluster and takes connections; undefined when there is none. */
export function findReadyPort(cluster: string): number | undefined {
  const file = readPostmasterFile(cluster)
  if (file?.status !== 'ready') return undefined
  // After a kill -9 the file stays, and its port may be another program's by now, which must not be sent a password.
  const running = findProcess(file.pid)
  return running && isPostmaster(running.command, file.dataDir) ? file.port : undefined
}

/** Launches the server and resolves when it accepts connections; throws StartRefused when it ends before that. */
export async function launch(options: {
  postgres: string
  cluster: string
  owner: Owner
  settings: Record<string, string>
  log: (line: string) => void
  /** What it says before it is ready. */
  onStarting?: (line: string) => void
}): Promise<Postmaster> {
  const { postgres, cluster, owner, settings, log, onStarting = () => {} } = options
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // Its own process group: Ctrl-C in the terminal must reach only Carillon, which still needs its database to stop.
  const child = spawn(postgres, ['-D', cluster, ...flags], {
    ...spawnOptions(owner),
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let phase: Phase = 'starting'
  const output = followOutput(child, line => {
    if (phase === 'starting') onStarting(line)
    if (phase === 'running' && concernsOperator(line)) log(`postgres: ${line}`)
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

/** Like pg_ctl, waits for the status line of postmaster.pid; there is no timeout, as crash recovery may take long. */
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
  for (const { signal, waitMs } of escalation) {
    if (isDown()) return
    try {
      send(signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
    const deadline = Date.now() + waitMs
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

/** Failed statements concern the application; only problems of the server itself concern the operator. */
function concernsOperator(line: string): boolean {
  return /\b(WARNING|FATAL|PANIC):|terminated by signal/.test(line)
}

function watchExit(child: ChildProcess, output: string[]): Promise<string> {
  return new Promise(resolve => {
    child.once('error', error => {
      output.push(error.message)
      resolve(`PostgreSQL could not be launched: ${error.message}`)
    })
    child.once('exit', async (code, signal) => {
      // The last lines may still be in the pipe. But a backend that lives a little longer keeps it open, so don't wait long.
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
  port: number
  status: string
}

function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return {
      pid: Number(lines[0]),
      dataDir: lines[1] ?? '',
      port: Number(lines[3]),
      status: (lines[7] ?? '').trim(),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
