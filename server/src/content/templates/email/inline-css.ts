/**
 * Puts the rules of `<style>` onto the elements, because many mail programs ignore the former; rules for dark mode and
 * narrow screens stay where they are.
 *
 * It runs in a process of its own: the library is made for one's own pages. 20,000 nested elements crash the process it
 * runs in, and 3,000 rules of the wrong kind held it for 47 s, while tenants may write what they like.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'

export interface InlineOptions {
  timeoutMs?: number
}

const require = createRequire(import.meta.url)
const LIBRARY = require.resolve('@css-inline/css-inline')
const SETTINGS = JSON.stringify({ keepAtRules: true, keepStyleTags: false, loadRemoteStylesheets: false })
const CHILD = `
  let html = ''
  process.stdin.setEncoding('utf8').on('data', text => (html += text)).on('end', () => {
    process.stdout.write(require(process.argv[1]).inline(html, JSON.parse(process.argv[2])))
  })`
const LARGEST = 1_000_000

/** Each takes tens of megabytes and a core. */
const MOST_AT_ONCE = 2

/** Styles that cannot be put onto the elements in reasonable time and space. */
export class UnusableStyles extends Error {}

let running = 0
const waiting: (() => void)[] = []

export async function inlineCss(html: string, { timeoutMs = 5000 }: InlineOptions = {}): Promise<string> {
  if (running >= MOST_AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
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
  // No environment: it needs none, and ours holds secrets.
  const child = spawn(process.execPath, ['-e', CHILD, LIBRARY, SETTINGS], { env: {}, timeout: timeoutMs })
  const output: Buffer[] = []
  let size = 0
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk)
    size += chunk.length
    if (size > LARGEST) child.kill()
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 10_000) said += text
  })
  // A child that has died takes no more input; its exit says why.
  child.stdin.on('error', () => {})
  child.stdin.end(html)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code === 0) return Buffer.concat(output).toString('utf8')
  if (size > LARGEST) throw new UnusableStyles('the styles make it larger than a mail may be')
  if (code === null) throw new UnusableStyles('the styles are too complicated')
  throw new UnusableStyles(/^\w*Error: (.*)$/m.exec(said)?.[1] ?? 'the styles cannot be used')
}
