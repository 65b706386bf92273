/** What a thread runs: one order at a time, each in an engine of its own. */
import { parentPort, workerData } from 'node:worker_threads'
import { createEngines } from './engine.ts'
import { execute } from './execution.ts'
import { createHostCalls, type HostCalls } from './host-calls.ts'
import type { FromThread, Order, ThreadData, ToThread } from './messages.ts'

const engines = createEngines((workerData as ThreadData).wasmModule)
let current: { run: number; calls: HostCalls } | undefined

/** Most of the interpreter is compiled when it is first used; no script should have to pay for that. */
const WARM_UP: Order = {
  type: 'run',
  name: 'warm-up.js',
  source: 'export default async event => event',
  prelude: '',
  inputJson: '{}',
  limits: { cpuMs: 10_000, wallMs: 10_000, memoryBytes: 32 * 1024 * 1024, maxResultBytes: 100 },
}

const post = (message: FromThread) => parentPort!.postMessage(message)

parentPort!.on('message', (message: ToThread) => {
  if (message.type === 'answer') {
    if (message.run === current?.run) current.calls.accept(message)
    return
  }
  const { run } = message
  const calls = createHostCalls(run, post)
  current = { run, calls }
  void execute(message, engines, calls).then(executed => {
    // Answers that come later would hand out the calls that still wait.
    current = undefined
    post({ type: 'ended', ...executed })
  })
})
const { ended } = await execute(WARM_UP, engines, createHostCalls(0, post))
if (ended.kind === 'failed') throw new Error(`A thread for scripts does not work: ${ended.message}`)
post({ type: 'ready' })
