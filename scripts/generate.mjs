/**
 * Writes the committed files that are generated from code: `generate.mjs [schema] [release] [openapi] [settings]`; all of
 * them by default. With --check it writes nothing and fails when a committed file differs from what the code generates.
 * With --restart the number of the release begins again at 1.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ensureReady } from './setup.mjs'

const products = {
  schema: {
    file: 'server/schema.sql',
    program: 'server/dist/generate/schema.js',
    command: 'npm run db:dump',
  },
  // after the schema, from which it takes the functions' arguments
  release: {
    file: 'server/release.json',
    program: 'server/dist/generate/release.js',
    command: 'npm run db:dump',
  },
  openapi: { file: 'openapi.json', program: 'server/dist/generate/openapi.js', command: 'npm run openapi' },
  settings: {
    file: 'docs/reference/settings.md',
    program: 'server/dist/generate/settings.js',
    command: 'npm run settings',
  },
}
const shownLines = 12

const args = process.argv.slice(2)
const isCheck = args.includes('--check')
const options = args.filter(argument => argument === '--restart')
const named = args.filter(argument => !argument.startsWith('--'))
const unknown = named.filter(name => !(name in products))
if (unknown.length > 0) {
  console.error(
    `There is nothing to generate called ${unknown.join(', ')}; use one of ${Object.keys(products).join(', ')}`,
  )
  process.exit(2)
}

await ensureReady()
for (const name of named.length > 0 ? named : Object.keys(products)) {
  if (isCheck) check(products[name])
  else write(products[name])
}

function write({ file, program }) {
  writeFileSync(file, generate(program))
  console.log(`wrote ${file}`)
}

function check({ file, program, command }) {
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const generated = generate(program)
  if (committed === generated) return
  process.exitCode = 1
  console.log(`${file} is out of date. Run: ${command}`)
  console.log(shortDiff(committed.split('\n'), generated.split('\n')))
}

function generate(program) {
  const { status, stdout } = spawnSync(process.execPath, [program, ...options], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) process.exit(1) // The program has said why.
  return stdout
}

/** The lines between the common beginning and the common end: enough to see what changed. */
function shortDiff(before, after) {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const maxEnd = Math.min(before.length, after.length) - start
  while (end < maxEnd && before.at(-1 - end) === after.at(-1 - end)) end++
  const removed = before.slice(start, before.length - end).map(line => `- ${line}`)
  const added = after.slice(start, after.length - end).map(line => `+ ${line}`)
  return [`@@ line ${start + 1} @@`, ...shorten(removed), ...shorten(added)].join('\n')
}

function shorten(lines) {
  if (lines.length <= shownLines) return lines
  return [...lines.slice(0, shownLines), `… and ${lines.length - shownLines} more lines`]
}
