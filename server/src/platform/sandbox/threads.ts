/** The threads of a sandbox: started when needed, used again, replaced after anything unusual. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { startThread, type Thread } from './thread.ts'

export interface Threads {
  /** Rejects if none can be started. */
  take(): Promise<Thread>
  /** Ends when there is a thread again, the same or another in its place. */
  giveBack(thread: Thread): Promise<void>
  readonly count: number
  /** Ends those that nobody uses; those given back later are ended then. */
  close(): Promise<void>
}

/** A thread too many stays for so long, for the next newcomer. */
export function createThreads(usual: number, lingerMs: number, onError: (error: unknown) => void): Threads {
  /** The one used last is last, and taken first. */
  const idle: { thread: Thread; sinceMs: number }[] = []
  let count = 0
  let isClosed = false
  let lingering: NodeJS.Timeout | undefined

  async function start(): Promise<Thread> {
    count++
    try {
      return await startThread({ wasmModule: await quickjs() })
    } catch (error) {
      count--
      throw error
    }
  }

  async function end(thread: Thread): Promise<void> {
    await thread.end().catch(onError)
    count--
  }

  async function replace(thread: Thread): Promise<Thread | undefined> {
    await end(thread)
    try {
      return await start()
    } catch (error) {
      onError(error)
      return undefined
    }
  }

  function endThoseTooMany(): void {
    const longAgoMs = performance.now() - lingerMs
    const unused = idle.filter(({ sinceMs }) => sinceMs <= longAgoMs).length
    for (const { thread } of idle.splice(0, Math.min(unused, count - usual))) void end(thread)
    lingering = idle.length > 0 && count > usual ? lookAgain() : undefined
  }

  function lookAgain(): NodeJS.Timeout {
    return setTimeout(endThoseTooMany, lingerMs).unref()
  }

  return {
    get count() {
      return count
    },
    async take() {
      for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
        if (last.thread.isReusable) return last.thread
        await end(last.thread)
      }
      return start()
    },
    async giveBack(thread) {
      if (isClosed) return end(thread)
      const another = thread.isReusable ? thread : await replace(thread)
      if (another === undefined) return
      if (isClosed) return end(another)
      idle.push({ thread: another, sinceMs: performance.now() })
      if (count > usual) lingering ??= lookAgain()
    },
    async close() {
      isClosed = true
      clearTimeout(lingering)
      await Promise.all(idle.splice(0).map(({ thread }) => end(thread)))
    },
  }
}

const require = createRequire(import.meta.url)
let compiled: Promise<WebAssembly.Module> | undefined

/** Compiled once for all threads. */
function quickjs(): Promise<WebAssembly.Module> {
  compiled ??= readFile(require.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm')).then(bytes =>
    WebAssembly.compile(bytes),
  )
  return compiled
}
