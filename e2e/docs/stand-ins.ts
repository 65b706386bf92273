/**
 * Programs for the shell that runs the docs: `npx carillon` is the built one, and `curl` fails if it gets an error. One
 * process runs them all with the arguments, environment, input and folder that the shell gave: half of what the commands
 * cost would be the starts. What main.ts adds around a command is in the commands that other tests start, and in `psql`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const carillon = createRequire(import.meta.url).resolve('@carillon/server/bin/carillon.js')
const dist = join(dirname(carillon), '../dist')

export interface StandIns {
  /** The PATH. */
  path: string
  stop(): Promise<void>
}

/** Writes the call into a folder, tells where that is, and waits for the exit code. */
const call = (bin: string, program: string) => `
call=$(mktemp -d '${bin}/call.XXXXXX')
mkfifo "$call/code"
cat > "$call/input"
env -0 > "$call/environment"
printf '%s\\0' ${program} "$PWD" "$@" > "$call/arguments"
echo "$call" > '${bin}/calls'
read -r code < "$call/code"
cat "$call/stderr" >&2
cat "$call/stdout"
exit "$code"`

export function makeStandIns(folder: string): StandIns {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  // psql takes over the terminal of its process.
  const npx = `
[ "$1" = carillon ] || { echo "this npx knows only carillon" >&2; exit 1; }
shift
[ "$1" != psql ] || exec '${process.execPath}' '${carillon}' "$@"
${call(bin, 'carillon')}`
  const programs = { curl: call(bin, 'curl'), npx, node: `exec '${process.execPath}' "$@"` }
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  const calls = join(bin, 'calls')
  execFileSync('mkfifo', [calls])
  // The input of the process ends when no writer has the pipe open, so we keep it open until stop().
  const keptOpen = openSync(calls, 'r+')
  const child = startProcess(calls)
  return {
    path: [bin, process.env.PATH].join(delimiter),
    async stop() {
      const exited = once(child, 'exit')
      closeSync(keptOpen)
      await exited
    },
  }
}

function startProcess(calls: string): ChildProcess {
  const input = openSync(calls, 'r')
  const program = fileURLToPath(new URL('one-process.mjs', import.meta.url))
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [program, dist], {
    env: { PATH },
    stdio: [input, 'inherit', 'inherit'],
  })
  closeSync(input)
  return child
}
