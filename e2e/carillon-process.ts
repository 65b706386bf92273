/** The real `carillon` as a separate process, seen from outside as an operator sees it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { waitFor } from '../server/test/wait-for.ts'

const ownProgram = createRequire(import.meta.url).resolve('@carillon/server/bin/carillon.js')
// Far more than needed, for machines that are busy with something else.
const startDeadlineMs = 90_000

export type Settings = Record<string, string>

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface CarillonProcess {
  readonly pid: number
  readonly stdout: string
  readonly stderr: string
  /** undefined while it runs. */
  readonly ended: Ended | undefined
  readonly exited: Promise<Ended>
  /** Resolves when GET /readyz says so; throws with the output when the process ends instead. */
  ready(url: string): Promise<void>
  /** Resolves when the banner was printed: the only visible sign that a process without the API has started. */
  announced(): Promise<void>
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>
}

const running = new Set<ChildProcess>()
// An interrupted run can no longer wait, nor a worker that vitest ends; SIGTERM lets each process stop its PostgreSQL too.
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})
process.once('SIGTERM', () => process.exit(143))

/**
 * Runs a command of the built product with these settings and nothing else from our environment. `program` is that of
 * another version; `launcher` is a command that runs it, as `nice` does.
 */
export function runCarillon(
  args: string[],
  settings: Settings,
  program = ownProgram,
  launcher: string[] = [],
): CarillonProcess {
  const { PATH = '', HOME = '' } = process.env
  const [command, ...rest] = [...launcher, process.execPath, program, ...args]
  const child = spawn(command!, rest, {
    env: { PATH, HOME, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const output = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', chunk => {
      output[stream] += chunk
    })
  }
  let ended: Ended | undefined
  const exited = once(child, 'close').then(([code, signal]): Ended => {
    running.delete(child)
    ended = { code, signal }
    return ended
  })

  async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
    const hasEndedOrHolds = async () => ended !== undefined || (await holds())
    await waitFor(hasEndedOrHolds, { what, deadlineMs: startDeadlineMs }).catch(error => fail(error.message))
    if (ended !== undefined) fail(`carillon ended with ${ended.code ?? ended.signal} instead`)
  }

  function fail(reason: string): never {
    throw new Error(`${reason}\n${output.stderr}\n${output.stdout.slice(-4_000)}`)
  }

  return {
    pid: child.pid!,
    get stdout() {
      return output.stdout
    },
    get stderr() {
      return output.stderr
    },
    get ended() {
      return ended
    },
    exited,
    ready: url => until(`${url} to be ready`, () => isReady(url)),
    announced: () => until('the banner', () => output.stderr.includes('Carillon is running')),
    async end(signal) {
      child.kill(signal)
      return exited
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(10_000) })
  await answer.text()
  return answer.ok
}
