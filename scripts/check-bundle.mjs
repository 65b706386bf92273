/**
 * Holds that <carillon-inbox> stays small for the pages that load it: what comes first, with everything that it imports at
 * once; what somebody has loaded who sees rows, with the words of one language; and each part that is loaded when it is
 * needed. None of it may contain what belongs on a server.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const FOLDER = 'inbox/dist/browser'
const ENTRY = 'carillon-inbox.js'
const KB = 1024
const LIMITS = { first: 24 * KB, rows: 36.5 * KB, part: 5 * KB }

/** Everything around the rows, and the rows; the words of English come first. */
const PANEL = /^part-panel-/

/** Words that only server code has: its environment, its modules, its secrets, the paths that only keys may call. */
const OF_A_SERVER = ['process.env', 'node:', 'createHmac', 'whsec_', '/v1/intents', '/v1/tenant']

/** The playground's page, which shows code of servers to copy. */
const SHOWS_CODE = 'playground.js'

/** Gives every violation as { file, rule }. `files` has the text of each by its name. */
export function checkBundle(files, limits = LIMITS) {
  const first = withImports(files, ENTRY)
  const panel = Object.keys(files).filter(name => PANEL.test(name))
  const rows = [...new Set([...first, ...panel.flatMap(name => withImports(files, name))])]
  const parts = Object.keys(files).filter(name => name.startsWith('part-') && !rows.includes(name))
  const bytesOf = names => sum(names.map(name => zippedBytes(files[name])))
  return [
    ...(bytesOf(first) > limits.first
      ? [{ file: ENTRY, rule: `loads ${sizeOf(bytesOf(first))} at once, more than ${sizeOf(limits.first)}` }]
      : []),
    ...(bytesOf(rows) > limits.rows
      ? [
          {
            file: ENTRY,
            rule: `loads ${sizeOf(bytesOf(rows))} to show rows, more than ${sizeOf(limits.rows)}`,
          },
        ]
      : []),
    ...parts
      .filter(name => zippedBytes(files[name]) > limits.part)
      .map(name => ({
        file: name,
        rule: `has ${sizeOf(zippedBytes(files[name]))}, more than ${sizeOf(limits.part)}`,
      })),
    ...Object.entries(files).flatMap(([file, text]) =>
      (file === SHOWS_CODE ? [] : OF_A_SERVER)
        .filter(word => text.includes(word))
        .map(word => ({
          file,
          rule: `contains ${word}, which belongs on a server`,
        })),
    ),
  ]
}

/** The file and everything that a browser loads before running it. */
function withImports(files, entry, known = new Set()) {
  if (known.has(entry)) return [...known]
  if (files[entry] === undefined) throw new Error(`There is no ${entry}; run "npm run build" first.`)
  known.add(entry)
  for (const [, name] of files[entry].matchAll(/(?:import|export)[^;'"()]*?from ?["']\.\/([^"']+)["']/g))
    withImports(files, name, known)
  for (const [, name] of files[entry].matchAll(/import ?["']\.\/([^"']+)["']/g))
    withImports(files, name, known)
  return [...known]
}

const zippedBytes = text => gzipSync(text, { level: 9 }).length
const sum = numbers => numbers.reduce((total, each) => total + each, 0)
const sizeOf = bytes => `${(bytes / KB).toFixed(1)} KB`

if (argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL(`../${FOLDER}`, import.meta.url))
  const names = readdirSync(folder).filter(name => name.endsWith('.js'))
  const files = Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name), 'utf8')]))
  const violations = checkBundle(files)
  for (const { file, rule } of violations) console.log(`${FOLDER}/${file} ${rule}`)
  process.exitCode = violations.length > 0 ? 1 : 0
}
