import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createSandbox, type SandboxOutcome } from './sandbox.ts'
import { job, LIMITS, resultOf, testSandbox } from './scripts.fixture.ts'

const ENDLESS = 'for (;;);'
const MIB = 1024 * 1024

/** How many threads were started meanwhile: they are numbered. */
async function threadsStartedBy(work: () => Promise<unknown>): Promise<number> {
  const before = await nextThreadId()
  await work()
  return (await nextThreadId()) - before - 1
}

async function nextThreadId(): Promise<number> {
  const worker = new Worker('', { eval: true })
  const { threadId } = worker
  await worker.terminate()
  return threadId
}

test('threads are started when needed, and used again', async () => {
  const sandbox = testSandbox({ workers: 2 })
  expect(sandbox.size).toEqual({ workers: 0, busy: 0, waiting: 0 })
  const started = await threadsStartedBy(async () => {
    for (let n = 0; n < 10; n++) await sandbox.run(job('export default 1'))
    await sandbox.run(job('throw 1'))
    await sandbox.run(job('syntax error'))
    await Promise.all(Array.from({ length: 10 }, () => sandbox.run(job('export default 1'))))
  })
  expect(started).toBe(2)
  expect(sandbox.size).toEqual({ workers: 2, busy: 0, waiting: 0 })
})

test.each([
  ['used up its processor time', ENDLESS, { cpuMs: 20 }],
  ['used up its time', 'await host("hang")', { wallMs: 100 }],
  ['used up its memory', 'const all = []; for (;;) all.push({})', { memoryBytes: 4 * MIB }],
  ['made its memory grow', 'export default new Uint8Array(18e6).length', {}],
])('a thread is replaced after a script %s', async (_what, source, limits) => {
  const sandbox = testSandbox({ workers: 1 })
  const call = () => new Promise<never>(() => {})
  const started = await threadsStartedBy(async () => {
    await sandbox.run(job(source, { limits: { ...LIMITS, ...limits }, call }))
    expect(await resultOf(sandbox, job('export default 1'))).toBe(1)
  })
  expect(started).toBe(2)
  expect(sandbox.size.workers).toBe(1)
})

test('nothing of a run is there in the next one of the same thread', async () => {
  const sandbox = testSandbox({ workers: 1 })
  const pollute = `
    globalThis.leak = event; var leak2 = event; Array.prototype.leak = event; Object.prototype.leak = event
    Promise.prototype.then = () => leak; JSON.stringify = () => '"leak"'; Function.prototype.leak = leak
    Symbol.for('leak').description; Object.defineProperty(globalThis, 'event', { get: () => leak })
    Date.now = () => leak; Math.random = () => leak; (0, eval)('var leak3 = 1; let leak4 = 1')
    export default 5`
  const look = `
    const names = ['leak', 'leak2', 'leak3', 'leak4'].filter(name => name in globalThis)
    const { then } = Promise.prototype
    export default () => ({ names, keys: Object.keys(event), own: [].leak, it: {}.leak, of: (() => {}).leak,
      then: then.name, now: typeof Date.now(), random: typeof Math.random(), lexical: typeof leak4 })`
  const outcomes: unknown[] = []
  const started = await threadsStartedBy(async () => {
    await sandbox.run(job(pollute, { owner: 'one', inputJson: '{"secret":1}' }))
    outcomes.push(await resultOf(sandbox, job(look, { owner: 'two', inputJson: '{"mine":1}' })))
  })
  expect(started).toBe(1)
  expect(outcomes).toEqual([
    { names: [], keys: ['mine'], then: 'then', now: 'number', random: 'number', lexical: 'undefined' },
  ])
})

test('scripts of an owner never delay those of another', async () => {
  const sandbox = testSandbox({ workers: 2 })
  const order: string[] = []
  const hogs = Array.from({ length: 20 }, () =>
    sandbox.run(job(ENDLESS, { owner: 'hog', limits: { ...LIMITS, cpuMs: 60_000, wallMs: 60_000 } })),
  )
  void Promise.all(hogs).then(() => order.push('hog'))
  for (let n = 0; n < 20; n++) {
    expect(await resultOf(sandbox, job(`export default ${n}`, { owner: 'other' }))).toBe(n)
    order.push('other')
  }
  await expect.poll(() => sandbox.size).toMatchObject({ busy: 2, waiting: 18 })
  expect(order).toEqual(Array(20).fill('other'))
  await sandbox.close()
  expect(await Promise.all(hogs)).toEqual(Array(20).fill(expect.objectContaining({ failure: 'stopped' })))
})

test('threads beyond the usual number end when they are not needed', async () => {
  const sandbox = testSandbox({ workers: 1, lingerMs: 500 })
  const answers: (() => void)[] = []
  const call = () => new Promise<string>(resolve => answers.push(() => resolve('1')))
  const runs = ['a', 'b', 'c', 'd', 'e'].map(owner =>
    resultOf(sandbox, job('await host("x")', { owner, call })),
  )
  await expect.poll(() => answers.length).toBe(4)
  expect(sandbox.size).toEqual({ workers: 4, busy: 4, waiting: 1 })
  for (const answer of answers) answer()
  await expect.poll(() => answers.length).toBe(5)
  answers[4]!()
  await Promise.all(runs)
  await expect.poll(() => sandbox.size).toEqual({ workers: 1, busy: 0, waiting: 0 })
})

test('an owner with too much waiting is told so', async () => {
  const sandbox = testSandbox({ workers: 1, maxWaitingPerOwner: 2 })
  const runs = Array.from({ length: 4 }, () =>
    sandbox.run(job('await host("hang")', { call: () => new Promise(() => {}) })),
  )
  expect(await runs[3]).toEqual({ kind: 'busy' })
  expect(sandbox.size).toMatchObject({ busy: 1, waiting: 2 })
  await sandbox.close()
  expect((await Promise.all(runs)).map(failureOf)).toEqual(['stopped', 'stopped', 'stopped', 'busy'])
})

test('a signal ends a run, whether it waits or runs', async () => {
  const sandbox = testSandbox({ workers: 1 })
  const [running, waiting, before] = [new AbortController(), new AbortController(), AbortSignal.abort()]
  const hang = { limits: { ...LIMITS, cpuMs: 60_000, wallMs: 60_000 } }
  const first = sandbox.run(job(ENDLESS, { ...hang, signal: running.signal }))
  const second = sandbox.run(job(ENDLESS, { ...hang, signal: waiting.signal }))
  const third = sandbox.run(job('export default 3'))
  waiting.abort()
  expect(failureOf(await second)).toBe('stopped')
  expect(failureOf(await sandbox.run(job('export default 4', { signal: before })))).toBe('stopped')
  running.abort()
  expect(failureOf(await first)).toBe('stopped')
  expect(await third).toMatchObject({ kind: 'done', resultJson: '3' })
})

test('a closed sandbox runs nothing more', async () => {
  const sandbox = createSandbox({ workers: 1 })
  const running = sandbox.run(job(ENDLESS))
  await Promise.all([sandbox.close(), sandbox.close()])
  expect(failureOf(await running)).toBe('stopped')
  expect(failureOf(await sandbox.run(job('export default 1')))).toBe('stopped')
  await expect(sandbox.check('a', 'order.js', '')).rejects.toThrow('stopped')
  expect(sandbox.size).toEqual({ workers: 0, busy: 0, waiting: 0 })
})

function failureOf(outcome: SandboxOutcome): string {
  return outcome.kind === 'failed' ? outcome.failure : outcome.kind
}
