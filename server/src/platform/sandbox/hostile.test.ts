import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, test } from 'vitest'
import { ATTACKS } from './attacks.fixture.ts'
import { createSandbox } from './sandbox.ts'
import { job, resultOf } from './scripts.fixture.ts'

const MIB = 1024 * 1024
const LIMITS = { cpuMs: 100, memoryBytes: 16 * MIB, maxResultBytes: 65_536 }
const INNOCENTS = 10

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void
const start = measure()
const sandbox = createSandbox({ workers: 2 })
afterAll(() => sandbox.close())

test.each(ATTACKS)('$name, beside innocent scripts', async ({ source, ends, result, outlasts }) => {
  // On a busy machine, little processor time may take long.
  const limits = { ...LIMITS, wallMs: outlasts ? 1000 : 30_000 }
  const call = (name: string, json: string) =>
    name === 'hang' ? new Promise<never>(() => {}) : Promise.resolve(json)
  const attack = resultOf(sandbox, job(source, { owner: 'attacker', limits, call }))
  const innocents = Array.from({ length: INNOCENTS }, (_, n) =>
    resultOf(
      sandbox,
      job('export default async e => (await host("double", e.n))[0] * 2', {
        owner: `innocent ${n % 5}`,
        inputJson: `{"n":${n}}`,
        call: async (_name, json) => json,
      }),
    ),
  )
  const outcome = await attack
  if (ends === undefined) expect(outcome).toEqual(result)
  else expect(String(outcome)).toMatch(ends)
  expect(String(outcome).length).toBeLessThan(1100)
  expect(await Promise.all(innocents)).toEqual(innocents.map((_, n) => n * 2))
})

test('afterwards, memory and threads are what they were', async () => {
  await sandbox.close()
  expect(sandbox.size).toEqual({ workers: 0, busy: 0, waiting: 0 })
  await expect.poll(() => measure().threads).toBeLessThanOrEqual(start.threads)
  // Hundreds of mebibytes were used on the way.
  await expect.poll(() => measure().mebibytes).toBeLessThan(start.mebibytes + 64)
})

function measure() {
  collectGarbage()
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0
  return { threads, mebibytes: process.memoryUsage().rss / MIB }
}
