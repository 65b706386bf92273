import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { createEngines, type Engine } from './engine.ts'

const MIB = 1024 * 1024
const require = createRequire(import.meta.url)

async function engines() {
  const file = require.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm')
  return createEngines(await WebAssembly.compile(await readFile(file)))
}

function evaluate({ context }: Engine, code: string): unknown {
  return context.dump(context.unwrapResult(context.evalCode(code)))
}

function memoryHas(engine: Engine, text: string): boolean {
  return Buffer.from(engine.memory.buffer).includes(text)
}

test('nothing of a run is left for the next, not even in memory', async () => {
  const { open } = await engines()
  const first = await open(8 * MIB, () => false)
  evaluate(first, 'globalThis.secret = "hunter" + 2; Array.prototype.secret = secret + secret')
  expect(memoryHas(first, 'hunter2hunter2')).toBe(true)

  const second = await open(8 * MIB, () => false)
  expect(second.memory).toBe(first.memory)
  expect(memoryHas(second, 'hunter')).toBe(false)
  expect(evaluate(second, 'typeof secret + typeof [].secret')).toBe('undefinedundefined')
})

test('memory has an end beyond what the interpreter counts', async () => {
  const { open } = await engines()
  const engine = await open(8 * MIB, () => false)
  engine.runtime.setMemoryLimit(-1)
  expect(() => evaluate(engine, 'const all = []; for (;;) all.push(new Uint8Array(1 << 20))')).toThrow(
    'out of memory',
  )
  expect(engine.memory.buffer.byteLength).toBeLessThanOrEqual(18 * MIB)
  expect(engine.hasGrown()).toBe(true)
})

test('an ordinary run does not grow', async () => {
  const { open } = await engines()
  const engine = await open(32 * MIB, () => false)
  evaluate(engine, 'Array.from({ length: 1000 }, (_, n) => ({ n }))')
  expect([engine.hasGrown(), engine.mayBeFull()]).toEqual([false, false])
})

test('a run with less memory than every engine has may be full without growing', async () => {
  const { open } = await engines()
  const engine = await open(4 * MIB, () => false)
  expect([engine.hasGrown(), engine.mayBeFull()]).toEqual([false, true])
})
