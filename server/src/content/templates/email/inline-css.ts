/**
 * Copies the rules of `<style>` onto the elements, because many mail programs ignore `<style>`; rules for dark mode and
 * narrow screens stay where they are.
 *
 * It runs in a child process, because the library is made for trusted input and tenants may write what they like:
 * 20,000 nested elements crash the process it runs in, and 3,000 rules of the wrong kind blocked it for 47 s.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

export interface InlineOptions {
  timeoutMs?: number
}

const require = createRequire(import.meta.url)
const LIBRARY = require.resolve('@css-inline/css-inline')
const INLINE_OPTIONS = JSON.stringify({
  keepAtRules: true,
  keepStyleTags: false,
  loadRemoteStylesheets: false,
})
const CHILD = `
  let html = ''
  process.stdin.setEncoding('utf8').on('data', text => (html += text)).on('end', () => {
    process.stdout.write(require(process.argv[1]).inline(html, JSON.parse(process.argv[2])))
  })`
const MAX_BYTES = 1_000_000

/** Each child takes tens of megabytes and a core. */
const MAX_AT_ONCE = 2

/** Styles that cannot be inlined in reasonable time and space. */
export class UnusableStyles extends Error {}

let running = 0
const waiting: (() => void)[] = []

export async function inlineCss(html: string, { timeoutMs = 5000 }: InlineOptions = {}): Promise<string> {
  if (running >= MAX_AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
  else running++
  try {
    return await runChild(html, timeoutMs)
  } finally {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}

async function runChild(html: string, timeoutMs: number): Promise<string> {
  // Without environment variables: it needs none, and ours hold secrets.
  const child = spawn(process.execPath, ['-e', CHILD, LIBRARY, INLINE_OPTIONS], {
    env: {},
    timeout: timeoutMs,
  })
  const output: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk)
    bytes += chunk.length
    if (bytes > MAX_BYTES) child.kill()
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < 10_000) stderr += text
  })
  // A child that has died takes no more input; its exit code says why.
  child.stdin.on('error', () => {})
  child.stdin.end(html)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code === 0) return Buffer.concat(output).toString('utf8')
  if (bytes > MAX_BYTES) throw new UnusableStyles('the styles make the mail too large')
  if (code === null) throw new UnusableStyles('the styles are too complicated')
  throw new UnusableStyles(/^\w*Error: (.*)$/m.exec(stderr)?.[1] ?? 'the styles cannot be used')
}
