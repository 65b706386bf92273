import { expect, it } from 'vitest'
import { runContained } from './contained-child.ts'

const run = (program: string, more: object = {}) =>
  runContained({
    program,
    args: [],
    input: '',
    timeoutMs: 20_000,
    memoryMb: 50,
    maxOutputBytes: 1000,
    ...more,
  })

it('gives what the program makes of its input', async () => {
  const program = `process.stdin.on('data', text => process.stdout.write(process.argv[1] + text))`
  expect(await run(program, { args: ['a'], input: 'ä' })).toEqual({ kind: 'done', output: 'aä' })
})

it('does not hand our environment on', async () => {
  const outcome = await run('process.stdout.write(JSON.stringify(process.env))')
  expect(outcome).toEqual({ kind: 'done', output: '{}' })
})

it.each([
  ['an endless loop', 'for (;;);', { timeoutMs: 200 }, { kind: 'ended' }],
  ['endless memory', 'const all = []; for (;;) all.push({})', { memoryMb: 20 }, { kind: 'ended' }],
  [
    'endless WebAssembly memory',
    'const memory = new WebAssembly.Memory({ initial: 1 }); for (;;) memory.grow(16)',
    {},
    { kind: 'failed', message: expect.stringMatching(/Unable to grow instance memory/) },
  ],
  [
    'endless output',
    `setInterval(() => process.stdout.write('x'.repeat(500)), 1)`,
    {},
    { kind: 'too_large' },
  ],
  ['an error', `throw new TypeError('too bad')`, {}, { kind: 'failed', message: 'too bad' }],
  ['a silent failure', 'process.exit(3)', {}, { kind: 'failed', message: '' }],
])('ends %s', async (_what, program, limits, outcome) => {
  expect(await run(program, limits)).toEqual(outcome)
})
