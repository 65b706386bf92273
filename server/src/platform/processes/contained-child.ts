/**
 * Runs a library that was made for trusted input on input that is not, in a child process: that may crash, take all of its
 * memory or never end, and nobody else notices.
 */
import { spawn } from 'node:child_process'

export interface ContainedTask {
  /** CommonJS that reads stdin and writes stdout; its arguments begin at process.argv[1]. */
  program: string
  args: string[]
  input: string | Buffer
  timeoutMs: number
  maxOutputBytes: number
  /** Of its heap, and of each WebAssembly memory. */
  memoryMb: number
}

export type ContainedOutcome =
  | { kind: 'done'; output: string }
  /** It took too long, or too much memory. */
  | { kind: 'ended' }
  | { kind: 'too_large' }
  /** The message of the error that it threw, or ''. */
  | { kind: 'failed'; message: string }

const MAX_STDERR_LENGTH = 10_000
const WASM_PAGES_PER_MB = 16

export async function runContained(task: ContainedTask): Promise<ContainedOutcome> {
  const limits = [
    `--max-old-space-size=${task.memoryMb}`,
    `--wasm-max-mem-pages=${task.memoryMb * WASM_PAGES_PER_MB}`,
  ]
  // Without environment variables: it needs none, and ours hold secrets.
  const child = spawn(process.execPath, [...limits, '-e', task.program, ...task.args], {
    env: {},
    timeout: task.timeoutMs,
  })
  const output: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk)
    bytes += chunk.length
    if (bytes > task.maxOutputBytes) child.kill()
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MAX_STDERR_LENGTH) stderr += text
  })
  // A child that has died takes no more input; its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(task.input)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code === 0) return { kind: 'done', output: Buffer.concat(output).toString('utf8') }
  if (bytes > task.maxOutputBytes) return { kind: 'too_large' }
  if (code === null) return { kind: 'ended' }
  return { kind: 'failed', message: /^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? '' }
}
