/**
 * Copies the rules of `<style>` onto the elements, because many mail programs ignore `<style>`; rules for dark mode and
 * narrow screens stay where they are.
 *
 * It runs in a child process, because the library is made for trusted input and tenants may write what they like: one long
 * value takes gigabytes, and 3,000 rules of the wrong kind take a minute. docs/decisions/0002 tells why a thread is not enough.
 */
import { createRequire } from 'node:module'
import { runContained } from '../../../platform/processes/contained-child.ts'
import { createConcurrencyLimit } from '../../../platform/queue/concurrency-limit.ts'

export interface InlineOptions {
  timeoutMs?: number
}

const require = createRequire(import.meta.url)
const LIBRARY = require.resolve('@css-inline/css-inline-wasm')
const MODULE = require.resolve('@css-inline/css-inline-wasm/index_bg.wasm')
const INLINE_OPTIONS = JSON.stringify({
  keepAtRules: true,
  keepStyleTags: false,
  loadRemoteStylesheets: false,
})
/** The library throws texts about mistakes; anything else means that it had too little memory or stack. */
const CHILD = `
  const { initWasm, inline } = require(process.argv[1])
  let html = ''
  process.stdin.setEncoding('utf8').on('data', text => (html += text)).on('end', async () => {
    await initWasm({ module_or_path: require('node:fs').readFileSync(process.argv[2]) })
    try {
      process.stdout.write(inline(html, JSON.parse(process.argv[3])))
    } catch (mistake) {
      throw new Error(typeof mistake === 'string' ? mistake : 'the styles are too complicated')
    }
  })`
const MAX_BYTES = 1_000_000
/** The largest mail that may be published takes a third of it. */
const MEMORY_MB = 256

/** Each child takes tens of megabytes and a core. */
const MAX_AT_ONCE = 2

/** Styles that cannot be inlined in reasonable time and space. */
export class UnusableStyles extends Error {}

const turns = createConcurrencyLimit(MAX_AT_ONCE)

export function inlineCss(html: string, { timeoutMs = 5000 }: InlineOptions = {}): Promise<string> {
  return turns.run(() => runChild(html, timeoutMs))
}

async function runChild(html: string, timeoutMs: number): Promise<string> {
  const outcome = await runContained({
    program: CHILD,
    args: [LIBRARY, MODULE, INLINE_OPTIONS],
    input: html,
    timeoutMs,
    memoryMb: MEMORY_MB,
    maxOutputBytes: MAX_BYTES,
  })
  if (outcome.kind === 'done') return outcome.output
  if (outcome.kind === 'too_large') throw new UnusableStyles('the styles make the mail too large')
  if (outcome.kind === 'ended') throw new UnusableStyles('the styles are too complicated')
  throw new UnusableStyles(outcome.message || 'the styles cannot be used')
}
