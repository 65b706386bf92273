/**
 * A thread that executes orders. It is ended from outside when one takes too long: QuickJS looks at the clock only now
 * and then, and never while it works on `new Array(1e9) + ''`.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { tooMuch } from './host-calls.ts'
import {
  type Answer,
  type Call,
  type Ended,
  type FromThread,
  MAX_CALL_BYTES,
  type Order,
  type SandboxFailureKind,
  type ThreadData,
} from './messages.ts'
import { plainText } from './run-failure.ts'

export interface Thread {
  /** Never rejects. The signal ends it. */
  execute(order: Order, call: HostCall, signal: AbortSignal): Promise<Ended>
  /** Nothing happened after which it should be replaced. */
  readonly isReusable: boolean
  end(): Promise<void>
}

export type HostCall = (name: string, argsJson: string) => Promise<string>

interface Work {
  run: number
  call: HostCall
  finish(ended: Ended): void
  /** Nothing more will come from the thread. */
  giveUp(failure: SandboxFailureKind, message: string): void
}

const FILE = new URL('./worker.js', import.meta.url)
// Node 20 runs no TypeScript, so under test, where the sources run, the thread is that of the last build.
if (import.meta.url.endsWith('.ts'))
  FILE.pathname = FILE.pathname.replace('/src/platform/', '/dist/platform/')

/** Of the thread's own JavaScript; a script's memory is WebAssembly's and has its own limit. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8, stackSizeMb: 4 }

const TOO_MUCH_MEMORY = 'The script used too much memory.'

/** Rejects if the thread cannot be started. */
export async function startThread(data: ThreadData): Promise<Thread> {
  // Without environment and arguments: it needs none, and ours hold secrets.
  const worker = new Worker(FILE, {
    workerData: data,
    resourceLimits: RESOURCE_LIMITS,
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  let isReusable = true
  let work: Work | undefined
  let runs = 0

  async function answer(call: Call, asking: Work): Promise<void> {
    const answered = await answerOf(call, asking.call)
    // By now the thread may work on something else.
    if (asking === work) worker.postMessage(answered)
  }

  function hear(message: FromThread): void {
    if (work === undefined || message.type === 'ready') return
    if (message.type === 'call') {
      if (message.run === work.run) void answer(message, work)
      return
    }
    isReusable &&= message.isReusable
    work.finish(message.ended)
  }

  const death = new Promise<never>((_resolve, reject) => {
    const die = (error: NodeJS.ErrnoException) => {
      isReusable = false
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') work?.giveUp('memory_limit', TOO_MUCH_MEMORY)
      else work?.giveUp('crashed', 'The thread that ran the script died.')
      reject(error)
    }
    worker.on('error', die)
    worker.on('exit', code => die(new Error(`The thread ended with code ${code}.`)))
  })
  death.catch(() => {})
  await Promise.race([once(worker, 'message'), death])
  worker.on('message', hear)
  // Only while it works for somebody should it keep the process running.
  worker.unref()

  return {
    get isReusable() {
      return isReusable
    },
    async end() {
      isReusable = false
      await worker.terminate()
    },
    execute(order, call, signal) {
      return new Promise(resolve => {
        const before = worker.performance.eventLoopUtilization()
        const stop = () => giveUp('stopped', 'The run was stopped.')
        const timer = setTimeout(
          () => giveUp('timeout', `The script took longer than ${order.limits.wallMs} ms.`),
          order.limits.wallMs,
        )
        const finish = (ended: Ended) => {
          work = undefined
          clearTimeout(timer)
          signal.removeEventListener('abort', stop)
          worker.unref()
          resolve(ended)
        }
        const giveUp = (failure: SandboxFailureKind, message: string) => {
          isReusable = false
          const { active } = worker.performance.eventLoopUtilization(before)
          finish({ kind: 'failed', failure, message, cpuMs: active })
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop)
        const run = ++runs
        work = { run, call, finish, giveUp }
        worker.ref()
        worker.postMessage({ ...order, run })
      })
    },
  }
}

async function answerOf({ run, id, name, argsJson }: Call, call: HostCall): Promise<Answer> {
  const to = { type: 'answer', run, id } as const
  try {
    const text = await call(name, argsJson)
    if (Buffer.byteLength(text) <= MAX_CALL_BYTES) return { ...to, isOk: true, text }
    return { ...to, isOk: false, text: `The answer has ${tooMuch}.` }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { ...to, isOk: false, text: plainText(message) }
  }
}
