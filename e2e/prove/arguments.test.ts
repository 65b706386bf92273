import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../dist/e2e/prove/main.js', import.meta.url))

it.each([
  [['--help'], "Unknown option '--help'", 'Parts are kills, faults,'],
  [['model', '--rounds'], "Option '--rounds <value>' argument missing", 'npm run prove -- [part…]'],
  [['model', '--rounds', '0'], '--rounds is at least 1.', ''],
])('npm run prove -- %j is answered in words', (given, reason, more) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...given], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain(reason)
  expect(stderr).toContain(more)
  expect(stderr).not.toContain('    at ')
})
