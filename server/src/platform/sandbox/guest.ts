/** The inside of a script's engine as seen from the thread: entered only under its limits, and it fails in words. */
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import type { CpuClock } from './cpu-clock.ts'
import type { Engine } from './engine.ts'
import { type Harness, harness, type Thrown } from './harness.ts'
import type { HostCalls } from './host-calls.ts'
import { MAX_CALL_BYTES, type SandboxLimits } from './messages.ts'
import { RunFailure, sayThrown } from './run-failure.ts'

export interface Guest {
  engine: Engine
  context: QuickJSContext
  /** The script's, in stack traces. */
  fileName: string
  /** Does something that may execute code of the script. */
  enter<T>(work: () => T): T
  /** Trusted code, in strict mode. */
  evaluate(code: string, fileName: string): QuickJSHandle
  callFunction(target: QuickJSHandle, ...args: QuickJSHandle[]): QuickJSHandle
  part(name: keyof Harness): QuickJSHandle
  call(part: keyof Harness, ...args: QuickJSHandle[]): QuickJSHandle
  /** What was thrown, in bounded text. */
  describe(error: QuickJSHandle): Thrown
  failureOf(thrown: Thrown): RunFailure
}

export interface GuestOptions {
  engine: Engine
  clock: CpuClock
  calls: HostCalls
  name: string
  limits: SandboxLimits
}

/** To say what happened, after a script has used up its own memory. */
const LAST_WORDS_BYTES = 1024 * 1024
const OUT_OF_MEMORY: Thrown = { name: 'InternalError', message: 'out of memory', stack: '' }
const NOTHING_KNOWN: Thrown = { name: '', message: '', stack: '' }

export function createGuest({ engine, clock, calls, name, limits }: GuestOptions): Guest {
  const { runtime, context } = engine
  const fileName = name.replace(/[\p{Cc}()<>:]/gu, '_').slice(0, 100) || 'script.js'

  function enter<T>(work: () => T): T {
    try {
      return clock.count(work)
    } finally {
      throwIfOver()
    }
  }

  function throwIfOver(): void {
    if (calls.failure !== undefined) throw calls.failure
    if (clock.isOver())
      throw new RunFailure('cpu_limit', `The script used more than ${limits.cpuMs} ms of processor time.`)
  }

  function evaluate(code: string, file: string): QuickJSHandle {
    return unwrap(enter(() => context.evalCode(code, file, { type: 'global', strict: true })))
  }

  function invoke(target: QuickJSHandle, args: QuickJSHandle[]) {
    return enter(() => context.callFunction(target, context.undefined, args))
  }

  function unwrap(result: ReturnType<typeof invoke>): QuickJSHandle {
    if (result.error) throw failureOf(describe(result.error))
    return result.value
  }

  function describe(error: QuickJSHandle): Thrown {
    runtime.setMemoryLimit(limits.memoryBytes + LAST_WORDS_BYTES)
    const described = invoke(part('describe'), [error])
    if (described.error) return engine.mayBeFull() ? OUT_OF_MEMORY : NOTHING_KNOWN
    return JSON.parse(context.getString(described.value))
  }

  function failureOf(thrown: Thrown): RunFailure {
    if (!isOutOfMemory(thrown)) return new RunFailure('exception', sayThrown(thrown, fileName))
    const mebibytes = Math.round(limits.memoryBytes / 1024 / 1024)
    return new RunFailure('memory_limit', `The script used more than ${mebibytes} MiB of memory.`)
  }

  /** When there is not even memory for an error, QuickJS throws null. */
  function isOutOfMemory({ name, message }: Thrown): boolean {
    if (name === OUT_OF_MEMORY.name) return message === OUT_OF_MEMORY.message
    return name === '' && message === 'null' && engine.mayBeFull()
  }

  const send = context.newFunction('send', (name, json) => {
    const argsJson = context.typeof(json) === 'string' ? context.getString(json) : undefined
    return context.newNumber(calls.send(context.getString(name), argsJson))
  })
  const parts = unwrap(
    invoke(evaluate(`(${harness})`, '<sandbox>'), [send, context.newNumber(MAX_CALL_BYTES)]),
  )
  const part = (key: keyof Harness) => context.getProp(parts, key)

  return {
    engine,
    context,
    fileName,
    enter,
    evaluate,
    part,
    callFunction: (target, ...args) => unwrap(invoke(target, args)),
    call: (key, ...args) => unwrap(invoke(part(key), args)),
    describe,
    failureOf,
  }
}
