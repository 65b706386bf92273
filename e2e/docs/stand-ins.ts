/** Programs for the shell that runs the docs: `npx carillon` is the built one, and `curl` fails if it gets an error. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

const carillon = createRequire(import.meta.url).resolve('@carillon/server/bin/carillon.js')

/** Only what the docs use: an unknown option is a mistake in them, or has to be added here. */
const CURL = `
const headers = {}, data = [], urls = []
let method
const takes = { '-X': v => (method = v), '-H': v => { const [name, ...rest] = v.split(':'); headers[name] = rest.join(':').trim() },
  '-d': v => data.push(v) }
const args = process.argv.slice(2)
while (args.length > 0) {
  const arg = args.shift()
  if (arg === '-sS' || arg === '-s') continue
  if (takes[arg]) takes[arg](args.shift())
  else if (arg.startsWith('-')) throw new Error('this curl does not know ' + arg)
  else urls.push(arg)
}
if (urls.length !== 1) throw new Error('not one address: ' + urls.join(' '))
const body = data.length === 0 ? undefined : data.join('&')
const url = urls[0].includes('://') ? urls[0] : 'http://' + urls[0]
const answer = await fetch(url, { method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body })
process.stdout.write(await answer.text())
if (!answer.ok) { console.error('curl: ' + answer.status); process.exitCode = 22 }
`

/** Returns the PATH. */
export function makeStandIns(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'curl.mjs'), CURL)
  const programs = {
    curl: `exec '${process.execPath}' '${join(bin, 'curl.mjs')}' "$@"`,
    npx: `[ "$1" = carillon ] || { echo "this npx knows only carillon" >&2; exit 1; }; shift; exec '${process.execPath}' '${carillon}' "$@"`,
    node: `exec '${process.execPath}' "$@"`,
  }
  for (const [name, line] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  return [bin, process.env.PATH].join(delimiter)
}
