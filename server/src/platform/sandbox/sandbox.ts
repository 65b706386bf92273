/**
 * Runs JavaScript of strangers: QuickJS in WebAssembly, in threads that can be ended. A script sees the language and what
 * the prelude defines, and reaches the host by one function that takes and gives text. See harness.ts for what a prelude
 * must do, and engine.ts for what keeps runs apart.
 *
 * The pool is our own: owners take turns, and one without a running script gets a thread beyond the limit (turns.ts).
 * piscina has one queue and a fixed maximum, and decides itself which thread to reuse.
 */
import { setMaxListeners } from 'node:events'
import type { Ended, Order, SandboxFailureKind, SandboxLimits, SyntaxProblem } from './messages.ts'
import type { HostCall, Thread } from './thread.ts'
import { createThreads } from './threads.ts'
import { createTurns } from './turns.ts'

export type { SandboxFailureKind, SandboxLimits } from './messages.ts'

export interface SandboxJob {
  /** Owners share the threads. */
  owner: string
  /** The file's name in stack traces. */
  name: string
  /** An ES module. */
  source: string
  /** Trusted JavaScript that runs first and defines globals by means of `__call`, which the script cannot reach. */
  prelude: string
  /** Becomes the global `event`. */
  inputJson: string
  limits: SandboxLimits
  /** The host's side of `__call`. A rejection becomes an error with its message, thrown in the script. */
  call: HostCall
  signal?: AbortSignal
}

export type SandboxOutcome =
  /** The result is null if there is none. */
  | { kind: 'done'; resultJson: string; cpuMs: number; durationMs: number }
  | { kind: 'failed'; failure: SandboxFailureKind; message: string; cpuMs: number; durationMs: number }
  | { kind: 'busy' }

export interface Sandbox {
  /** Never rejects. */
  run(job: SandboxJob): Promise<SandboxOutcome>
  /** What is wrong with a script, found without executing it. */
  check(owner: string, name: string, source: string): Promise<SyntaxProblem | undefined>
  readonly size: { workers: number; busy: number; waiting: number }
  /** Ends all threads; what runs or waits fails as stopped. */
  close(): Promise<void>
}

export interface SandboxOptions {
  /** Threads while everybody gets its turn; there may be four times as many for a while. */
  workers: number
  maxWaitingPerOwner?: number
  /** How long more of them than that stay: starting one costs more than a short script. */
  lingerMs?: number
  /** For errors that are nobody's script's. */
  onError?: (error: unknown) => void
}

interface Task {
  order: Order
  call: HostCall
  stopping: AbortController
  finish(outcome: SandboxOutcome): void
}

const CHECK_LIMITS = { cpuMs: 1000, wallMs: 10_000, memoryBytes: 64 * 1024 * 1024, maxResultBytes: 0 }

export function createSandbox(options: SandboxOptions): Sandbox {
  const { workers, maxWaitingPerOwner = 100, lingerMs = 5000, onError = () => {} } = options
  const turns = createTurns<Task>(workers, maxWaitingPerOwner)
  const threads = createThreads(workers, lingerMs, onError)
  const active = new Map<Task, Promise<void>>()
  let isClosed = false

  function submit(
    owner: string,
    order: Order,
    call: HostCall,
    signal?: AbortSignal,
  ): Promise<SandboxOutcome> {
    return new Promise(resolve => {
      const stopping = new AbortController()
      const stop = () => {
        if (turns.remove(owner, task)) task.finish(stopped)
        else stopping.abort()
      }
      const finish = (outcome: SandboxOutcome) => {
        signal?.removeEventListener('abort', stop)
        resolve(outcome)
      }
      const task = { order, call, stopping, finish }
      if (isClosed || signal?.aborted) return finish(stopped)
      if (!turns.add(owner, task)) return finish({ kind: 'busy' })
      if (signal !== undefined) {
        // Many runs may have the same signal.
        setMaxListeners(0, signal)
        signal.addEventListener('abort', stop)
      }
      startWhatMay()
    })
  }

  function startWhatMay(): void {
    for (let next = turns.take(); next !== undefined; next = turns.take()) {
      const { owner, item } = next
      const done = perform(item).then(() => {
        active.delete(item)
        turns.finish(owner)
        startWhatMay()
      })
      active.set(item, done)
    }
  }

  async function perform({ order, call, stopping, finish }: Task): Promise<void> {
    let thread: Thread
    try {
      thread = await threads.take()
    } catch (error) {
      onError(error)
      return finish({ ...stopped, failure: 'crashed', message: 'There was no thread to run the script.' })
    }
    const startedAt = performance.now()
    const ended = await thread.execute(order, call, stopping.signal)
    finish({ ...ended, durationMs: performance.now() - startedAt })
    // Whose script spoils a thread waits for the new one; others find those that are ready.
    await threads.giveBack(thread)
  }

  return {
    run({ owner, call, signal, name, source, prelude, inputJson, limits }) {
      return submit(owner, { type: 'run', name, source, prelude, inputJson, limits }, call, signal)
    },
    async check(owner, name, source) {
      // As an owner of its own, so that it does not wait behind the runs of a flood.
      const order: Order = { type: 'check', name, source, limits: CHECK_LIMITS }
      const outcome = await submit(`check of ${owner}`, order, noCalls)
      if (outcome.kind === 'busy') throw new Error('Too many scripts wait to be checked.')
      if (outcome.kind === 'done') return JSON.parse(outcome.resultJson) ?? undefined
      if (outcome.failure === 'crashed' || outcome.failure === 'stopped') throw new Error(outcome.message)
      return { message: outcome.message, line: null }
    },
    get size() {
      return { workers: threads.count, busy: turns.running, waiting: turns.waiting }
    },
    async close() {
      isClosed = true
      for (const task of turns.clear()) task.finish(stopped)
      for (const task of active.keys()) task.stopping.abort()
      await Promise.all([threads.close(), ...active.values()])
    },
  }
}

const stopped = {
  kind: 'failed' as const,
  failure: 'stopped' as SandboxFailureKind,
  message: 'The run was stopped.',
  cpuMs: 0,
  durationMs: 0,
} satisfies Ended & { durationMs: number }

async function noCalls(): Promise<never> {
  throw new Error('A check calls nothing.')
}
