/** Runs scripts in a process of its own: the sandbox, and the same function called directly. */
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createSandbox,
  type Sandbox,
  type SandboxJob,
} from '../../../server/dist/platform/sandbox/sandbox.js'
import { serveParent } from '../child.ts'
import { median } from '../rounds.ts'

export type Question =
  /** The time of so many scripts. */
  | { runs: number; workers: number }
  /** The time of so many calls of the same function. */
  | { calls: number }
  /** Milliseconds until the first result of a new sandbox, and of a run when it is warm. */
  | 'start'
  /** Mebibytes that each of some threads adds to the process. */
  | 'memory'
  /** Milliseconds that each run of a quiet owner takes, with or without another that floods. */
  | { quietRuns: number; flooded: boolean }

export interface Times {
  seconds: number
  cpu_seconds: number
}

export interface Start {
  first: number
  warm: number
}

const EVENT = JSON.stringify({
  order: 48151,
  items: Array.from({ length: 8 }, (_, n) => ({ name: `item ${n}`, price: n * 7 + 4.5, quantity: n + 1 })),
})
const LIMITS = { cpuMs: 1000, wallMs: 10_000, memoryBytes: 32 * 1024 * 1024, maxResultBytes: 65_536 }
const WARM_AFTER = 50
const THREADS = 4
const FLOOD = 50
const QUIET_EVERY_MS = 20

interface Order {
  items: { price: number; quantity: number }[]
}
const total = (order: Order) => ({
  total: order.items.reduce((sum, { price, quantity }) => sum + price * quantity, 0),
})

const job = (owner: string, source = `export default ${total}`): SandboxJob => ({
  owner,
  name: 'total.js',
  source,
  prelude: '',
  inputJson: EVENT,
  limits: LIMITS,
  call: async () => 'null',
})

async function run(sandbox: Sandbox, owner = 'quiet'): Promise<void> {
  const outcome = await sandbox.run(job(owner))
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
}

async function timeRuns(count: number, workers: number): Promise<Times> {
  const sandbox = createSandbox({ workers })
  // Two for each thread, so that none waits for the next.
  const inParallel = async (runs: number) => {
    const lines = workers * 2
    const line = async () => {
      for (let n = 0; n < runs / lines; n++) await run(sandbox)
    }
    await Promise.all(Array.from({ length: lines }, line))
  }
  await inParallel(count / 5)
  const times = await time(() => inParallel(count))
  await sandbox.close()
  return times
}

function timeCalls(count: number): Promise<Times> {
  const call = async (json: string) => JSON.stringify(total(JSON.parse(json)))
  return time(async () => {
    for (let n = 0; n < count; n++) await call(EVENT)
  })
}

async function time(work: () => Promise<void>): Promise<Times> {
  const before = process.cpuUsage()
  const start = performance.now()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - start) / 1000, cpu_seconds: (user + system) / 1e6 }
}

async function timeStart(): Promise<Start> {
  const sandbox = createSandbox({ workers: 1 })
  const times: number[] = []
  for (let n = 0; n < WARM_AFTER + 50; n++) {
    const start = performance.now()
    await run(sandbox)
    times.push(performance.now() - start)
  }
  await sandbox.close()
  return { first: times[0]!, warm: median(times.slice(WARM_AFTER)) }
}

async function measureMemory(): Promise<number> {
  const before = process.memoryUsage().rss
  const sandbox = createSandbox({ workers: THREADS })
  for (let n = 0; n < 20; n++) await Promise.all(Array.from({ length: THREADS }, () => run(sandbox)))
  const mebibytes = (process.memoryUsage().rss - before) / THREADS / 1024 / 1024
  await sandbox.close()
  return mebibytes
}

async function timeQuietRuns(count: number, flooded: boolean): Promise<number[]> {
  const sandbox = createSandbox({ workers: 2 })
  let isOver = false
  const flood = async () => {
    while (!isOver) await sandbox.run(job('loud', 'for (;;);'))
  }
  const floods = Array.from({ length: flooded ? FLOOD : 0 }, flood)
  await run(sandbox)
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const start = performance.now()
    await run(sandbox)
    times.push(performance.now() - start)
    await delay(QUIET_EVERY_MS)
  }
  isOver = true
  await sandbox.close()
  await Promise.all(floods)
  return times
}

await serveParent<object, Question>(async () => ({
  async answer(question) {
    if (question === 'start') return timeStart()
    if (question === 'memory') return measureMemory()
    if ('runs' in question) return timeRuns(question.runs, question.workers)
    if ('calls' in question) return timeCalls(question.calls)
    return timeQuietRuns(question.quietRuns, question.flooded)
  },
  async stop() {},
}))
