import { expect, test } from 'vitest'
import type { SandboxLimits } from './sandbox.ts'
import { job, LIMITS, resultOf, testSandbox } from './scripts.fixture.ts'

const MIB = 1024 * 1024
const HOARD = 'const all = []; for (;;) all.push({})'

const run = (source: string, changes = {}) => resultOf(testSandbox(), job(source, changes))

test.each<[string, string, unknown]>([
  ['a value', 'export default { total: 5 }', { total: 5 }],
  ['a function of the event', 'export default e => e.order.number', 48151],
  ['an asynchronous function', 'export default async e => (await host("get", e)).name', 'get'],
  ['a promise', 'export default Promise.resolve(5)', 5],
  ['a value made with await', 'const { name } = await host("get"); export default name', 'get'],
  ['nothing', 'const x = 1', null],
  ['undefined', 'export default () => undefined', null],
  ['what JSON leaves out', 'export default () => () => 5', null],
  [
    'what JSON changes',
    'export default { at: new Date(0), none: undefined }',
    { at: '1970-01-01T00:00:00.000Z' },
  ],
  ['the global event', 'export default event.order', { number: 48151 }],
  ['an export that looks like a promise', 'export function then() {}; export default 5', 5],
  ['text of every kind', 'export default "\\u0000 é 🔔 \\ud800"', '\u0000 é 🔔 \ud800'],
])('a script results in %s', async (_what, source, result) => {
  expect(await run(source)).toEqual(result)
})

test('a script has the builtins of the language, the event and what the prelude defines', async () => {
  const names = await run('export default Object.getOwnPropertyNames(globalThis)')
  const ofTheLanguage = Object.getOwnPropertyNames(globalThis)
  const others = (names as string[]).filter(name => !ofTheLanguage.includes(name))
  expect(others.sort()).toEqual(['Float16Array', 'Iterator', 'event', 'host'].sort())
  for (const absent of [
    'process',
    'require',
    'console',
    'setTimeout',
    'performance',
    'queueMicrotask',
    'std',
    'os',
  ])
    expect(names).not.toContain(absent)
})

test.each<[string, string, string]>([
  [
    'thrown',
    '\n\n  null.total',
    "exception: TypeError: cannot read property 'total' of null (line 3, column 3)",
  ],
  [
    'thrown later',
    'await host("get")\nthrow new RangeError("no")',
    'exception: RangeError: no (line 2, column',
  ],
  [
    'thrown by the default export',
    'export default () => {\n  throw new Error("no")\n}',
    'exception: Error: no (line 2,',
  ],
  ['no error at all', 'throw { code: 5 }', 'exception: {"code":5}'],
  ['a text', 'throw "no"', 'exception: no'],
  [
    'a syntax error',
    'const x = 1\nconst y = ;',
    "syntax: SyntaxError: unexpected token in expression: ';' (line 2)",
  ],
  ['a syntax error made by hand', 'throw new SyntaxError("no")', 'exception: SyntaxError: no (line 1,'],
  [
    'an import',
    'import fs from "node:fs"',
    'syntax: SyntaxError: A script is one file and cannot import "node:fs".',
  ],
  [
    'an import later',
    'await import("os")',
    'exception: SyntaxError: A script is one file and cannot import "os".',
  ],
  [
    'a promise nobody keeps',
    'await new Promise(() => {})',
    'exception: The script waits for something that never happens.',
  ],
  ['JSON cannot show it', 'export default 5n', 'exception: TypeError:'],
])('a script fails: %s', async (_what, source, failure) => {
  expect(await run(source)).toEqual(expect.stringContaining(failure))
})

test.each<[string, string, Partial<SandboxLimits>, string]>([
  [
    'processor time',
    'for (;;);',
    { cpuMs: 50 },
    'cpu_limit: The script used more than 50 ms of processor time.',
  ],
  ['time', 'await host("hang")', { wallMs: 500 }, 'timeout: The script took longer than 500 ms.'],
  ['memory', HOARD, { memoryBytes: 4 * MIB }, 'memory_limit: The script used more than 4 MiB of memory.'],
  [
    'more memory',
    HOARD,
    { memoryBytes: 24 * MIB },
    'memory_limit: The script used more than 24 MiB of memory.',
  ],
  [
    'the length of its result',
    'export default "é".repeat(50)',
    { maxResultBytes: 100 },
    'output_limit: The result has more than 100 bytes.',
  ],
])('a script is limited in %s', async (_what, source, limits, failure) => {
  const call = () => new Promise<never>(() => {})
  expect(await run(source, { limits: { ...LIMITS, ...limits }, call })).toBe(failure)
})

test('waiting for the host uses no processor time', async () => {
  const limits = { ...LIMITS, cpuMs: 100 }
  const call = () => new Promise<string>(resolve => setTimeout(() => resolve('5'), 200))
  expect(await run('export default await host("slow")', { limits, call })).toBe(5)
})

test('calls arrive with their arguments, and their failures are thrown in the script', async () => {
  const arrived: unknown[] = []
  const call = async (name: string, argsJson: string) => {
    arrived.push([name, JSON.parse(argsJson)])
    if (name === 'fail') throw new Error('no such\nthing')
    return '{"ok":true}'
  }
  const source = `
    const { ok } = await host('get', 'a', { b: [1] })
    const message = await host('fail').catch(error => error instanceof Error && error.message)
    export default { ok, message }`
  expect(await run(source, { call })).toEqual({ ok: true, message: 'no such thing' })
  expect(arrived).toEqual([
    ['get', ['a', { b: [1] }]],
    ['fail', []],
  ])
})

test('a run lasts until every call was answered, also those that nobody awaits', async () => {
  let answered = 0
  const call = async () => `${++answered}`
  expect(await run('for (let i = 0; i < 40; i++) host("log"); export default 5', { call })).toBe(5)
  expect(answered).toBe(40)
})

test.each<[string, () => Promise<string>, string]>([
  [
    'is too long',
    async () => JSON.stringify('x'.repeat(262_144)),
    'Error: The answer has more than 256 KiB.',
  ],
  ['is no JSON', async () => 'x', 'SyntaxError:'],
  ['is no text', async () => undefined as never, 'Error:'],
  [
    'is thrown at once',
    () => {
      throw new Error('no')
    },
    'Error: no',
  ],
])('an answer of the host fails in the script if it %s', async (_what, call, failure) => {
  expect(await run('await host("get")', { call })).toEqual(expect.stringContaining(`exception: ${failure}`))
})

test.each<[string, string]>([
  ['does not compile', 'const ='],
  ['throws', 'throw new Error("no")'],
])('a prelude that %s is nobody’s script’s fault', async (_what, prelude) => {
  expect(await run('export default 5', { prelude })).toMatch(
    /^crashed: The globals of the script could not be/,
  )
})

test.each<[string, string, object | undefined]>([
  ['is right', 'export default await x.y()', undefined],
  ['would never end', 'for (;;);', undefined],
  [
    'is wrong',
    'const x = 1\n\nconst x = 2',
    { message: 'SyntaxError: invalid redefinition of global identifier', line: 3 },
  ],
  [
    'imports',
    'import "fs"',
    { message: 'SyntaxError: A script is one file and cannot import "fs".', line: null },
  ],
])('a script is checked without executing it: it %s', async (_what, source, problem) => {
  expect(await testSandbox().check('somebody', 'order.js', source)).toEqual(problem)
})

test('a run tells what it used', async () => {
  const outcome = await testSandbox().run(job('export default 1'))
  expect(outcome).toEqual({
    kind: 'done',
    resultJson: '1',
    cpuMs: expect.any(Number),
    durationMs: expect.any(Number),
  })
})
