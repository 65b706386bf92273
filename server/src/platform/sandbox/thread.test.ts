import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import type { Order } from './messages.ts'
import { LIMITS, PRELUDE } from './scripts.fixture.ts'
import { startThread } from './thread.ts'

const require = createRequire(import.meta.url)
const ENDLESS: Order = {
  type: 'run',
  name: 'order.js',
  source: 'await host("get"); for (;;);',
  prelude: PRELUDE,
  inputJson: '{}',
  limits: { ...LIMITS, cpuMs: 60_000, wallMs: 60_000 },
}

test('a thread that dies at work fails that work, and nothing else', async () => {
  const file = require.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm')
  const thread = await startThread({ wasmModule: await WebAssembly.compile(await readFile(file)) })
  let hasCalled = () => {}
  const called = new Promise<void>(resolve => (hasCalled = resolve))
  const call = async () => {
    hasCalled()
    return 'null'
  }
  const ended = thread.execute(ENDLESS, call, new AbortController().signal)
  await called
  expect(thread.isReusable).toBe(true)
  await thread.end()
  expect(await ended).toMatchObject({ kind: 'failed', failure: 'crashed' })
  expect(thread.isReusable).toBe(false)
})

test('a thread that does not work is never given any', async () => {
  await expect(startThread({ wasmModule: {} as never })).rejects.toThrow('WebAssembly')
})
