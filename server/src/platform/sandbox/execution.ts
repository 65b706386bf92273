/** One order from its source to its result, inside a thread. Whatever the script does, this answers with a value. */
import type { QuickJSHandle } from 'quickjs-emscripten-core'
import { createCpuClock } from './cpu-clock.ts'
import type { Engine, Engines } from './engine.ts'
import { createGuest, type Guest } from './guest.ts'
import type { Thrown } from './harness.ts'
import type { HostCalls } from './host-calls.ts'
import type { Ended, Order, RunOrder } from './messages.ts'
import { problemOf, RunFailure, saySyntax } from './run-failure.ts'

export interface Executed {
  ended: Ended
  /** Nothing happened after which the thread should be replaced. */
  isReusable: boolean
}

/** Between them the limits are looked at, since a chain of jobs need not contain anything that is interrupted. */
const JOBS_AT_ONCE = 100

export async function execute(order: Order, engines: Engines, calls: HostCalls): Promise<Executed> {
  const clock = createCpuClock(order.limits.cpuMs)
  let engine: Engine | undefined
  try {
    engine = await engines.open(order.limits.memoryBytes, () => calls.failure !== undefined || clock.isOver())
    const guest = createGuest({ engine, clock, calls, name: order.name, limits: order.limits })
    const resultJson = order.type === 'check' ? check(guest, order) : await run(guest, order, calls)
    return { ended: { kind: 'done', resultJson, cpuMs: clock.usedMs() }, isReusable: !engine.hasGrown() }
  } catch (error) {
    const { failure, message } = error instanceof RunFailure ? error : brokenEngine(error, engine)
    const isHarmless = failure === 'exception' || failure === 'syntax'
    const ended: Ended = { kind: 'failed', failure, message, cpuMs: clock.usedMs() }
    return { ended, isReusable: isHarmless && engine?.hasGrown() === false }
  }
}

/** What WebAssembly itself throws. The thread's stack may end before the one that QuickJS counts. */
function brokenEngine(error: unknown, engine: Engine | undefined): RunFailure {
  if (error instanceof RangeError && engine !== undefined)
    return new RunFailure('exception', 'RangeError: Maximum call stack size exceeded')
  return new RunFailure('crashed', 'The interpreter of the script broke down.')
}

function check(guest: Guest, { source }: Order): string {
  const thrown = compile(guest, source)
  return JSON.stringify(thrown === undefined ? null : problemOf(thrown, guest.fileName))
}

function compile({ context, enter, describe, fileName }: Guest, source: string): Thrown | undefined {
  const compiled = enter(() => context.evalCode(source, fileName, { type: 'module', compileOnly: true }))
  return compiled.error && describe(compiled.error)
}

async function run(guest: Guest, order: RunOrder, calls: HostCalls): Promise<string> {
  const { context } = guest
  const event = guest.call('setEvent', context.newString(order.inputJson))
  defineGlobals(guest, order.prelude)
  const exported = startModule(guest, order.source)
  const isPromise = context.getPromiseState(exported).type === 'pending' ? context.true : context.false
  const maxLength = context.newNumber(order.limits.maxResultBytes)
  const result = await settled(guest, guest.call('finish', exported, isPromise, event, maxLength), calls)
  return textOf(guest, result, order.limits.maxResultBytes)
}

function defineGlobals(guest: Guest, prelude: string): void {
  try {
    const define = guest.evaluate(`(function (__call) {\n${prelude}\n})`, '<prelude>')
    guest.callFunction(define, guest.part('call'))
  } catch (error) {
    if (!(error instanceof RunFailure) || error.failure !== 'exception') throw error
    throw new RunFailure('crashed', `The globals of the script could not be defined: ${error.message}`)
  }
}

/** An error before the first statement and one of the script arrive alike; the former comes again when compiling. */
function startModule(guest: Guest, source: string): QuickJSHandle {
  const { context, enter, fileName } = guest
  const started = enter(() => context.evalCode(source, fileName, { type: 'module' }))
  if (started.error === undefined) return started.value
  const failure = guest.failureOf(guest.describe(started.error))
  const syntax = failure.failure === 'exception' ? compile(guest, source) : undefined
  throw syntax === undefined ? failure : new RunFailure('syntax', saySyntax(syntax, fileName))
}

/** A run ends when there is a result and every call was answered: nobody has to await what returns nothing. */
async function settled(guest: Guest, promise: QuickJSHandle, calls: HostCalls): Promise<QuickJSHandle> {
  const { context } = guest
  for (;;) {
    runJobs(guest)
    const state = context.getPromiseState(promise)
    if (state.type === 'rejected') throw guest.failureOf(guest.describe(state.error))
    if (calls.isWaiting()) {
      const { id, isOk, text } = await calls.next()
      const isOkHandle = isOk ? context.true : context.false
      guest.call('settle', context.newNumber(id), isOkHandle, context.newString(text))
    } else if (state.type === 'fulfilled') return state.value
    else throw new RunFailure('exception', 'The script waits for something that never happens.')
  }
}

function runJobs({ engine: { runtime }, enter, describe, failureOf }: Guest): void {
  while (runtime.hasPendingJob()) {
    const jobs = enter(() => runtime.executePendingJobs(JOBS_AT_ONCE))
    if (jobs.error) throw failureOf(describe(jobs.error))
  }
}

function textOf({ context }: Guest, result: QuickJSHandle, maxBytes: number): string {
  const text = context.typeof(result) === 'string' ? context.getString(result) : undefined
  if (text !== undefined && Buffer.byteLength(text) <= maxBytes) return text
  throw new RunFailure('output_limit', `The result has more than ${maxBytes} bytes.`)
}
