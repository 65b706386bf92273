/** Runs test files in a process of their own, under any Node, and passes on what comes of them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Line } from './line-reporter.ts'
import { repository } from './repository.ts'

const REPORTER = fileURLToPath(new URL('./line-reporter.js', import.meta.url))
const KEPT_OUTPUT = 4_000

export interface VitestRun {
  /** Filters and options of vitest. */
  args: string[]
  env?: Record<string, string>
  node?: string
  /** Another copy of the repository. */
  tree?: string
  /** Where the tests put their files. */
  scratch: string
}

/** Throws when it ends before it has said how the run went. */
export async function* runVitest({
  args,
  env,
  node,
  tree = repository,
  scratch,
}: VitestRun): AsyncGenerator<Line> {
  const program = join(tree, 'node_modules/vitest/vitest.mjs')
  const child = spawn(node ?? process.execPath, [program, 'run', `--reporter=${REPORTER}`, ...args], {
    cwd: tree,
    env: { ...process.env, TMPDIR: scratch, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  const keep = (text: string) => {
    output = (output + text).slice(-KEPT_OUTPUT)
  }
  child.stderr.setEncoding('utf8').on('data', keep)
  let isOver = false
  for await (const text of createInterface({ input: child.stdout })) {
    const line = parse(text)
    if (line === undefined) keep(`${text}\n`)
    else yield line
    isOver ||= line?.kind === 'end'
  }
  const [code] = await ended
  if (!isOver) throw new Error(`vitest ended with ${code} before the tests did:\n${output}`)
}

/** Other lines are those of the set-up and of warnings. */
function parse(text: string): Line | undefined {
  if (!text.startsWith('{"kind":')) return undefined
  return JSON.parse(text) as Line
}
