/**
 * Answers the stand-ins of the docs, so that not each command starts a Node: stdin has a line per call, which names the folder
 * where stand-ins.ts put the call. What is written is there before the exit code, which the stand-in waits for.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const dist = process.argv[2]
const { run } = await import(`${dist}/cli/program.js`)
const { useUtc } = await import(`${dist}/platform/config/utc.js`)
useUtc()

const open = new Set()
// It would end the process, and the stand-in would wait for ever.
process.on('uncaughtException', error => {
  for (const call of open) end(call, 1, error.stack)
})
for await (const folder of createInterface({ input: process.stdin })) void answer(readCall(folder))
process.exit()

function readCall(folder) {
  const read = name => readFileSync(join(folder, name), 'utf8')
  const [program, workingFolder, ...args] = read('arguments').split('\0').slice(0, -1)
  const environment = read('environment').split('\0').slice(0, -1)
  return {
    folder,
    program,
    workingFolder,
    args,
    environment: Object.fromEntries(environment.map(variable => /^(.*?)=(.*)$/s.exec(variable).slice(1))),
    input: read('input'),
    written: { stdout: '', stderr: '' },
  }
}

async function answer(call) {
  open.add(call)
  // The two sides of a pipe run at the same time, but in one folder.
  process.chdir(call.workingFolder)
  try {
    end(call, call.program === 'curl' ? await curl(call) : await run(call.args, terminalOf(call)))
  } catch (error) {
    end(call, 1, error.stack)
  }
}

function end(call, code, more = '') {
  if (!open.delete(call)) return
  writeFileSync(join(call.folder, 'stdout'), call.written.stdout)
  writeFileSync(join(call.folder, 'stderr'), call.written.stderr + more)
  writeFileSync(join(call.folder, 'code'), `${code}\n`)
}

function terminalOf({ written, input, environment }) {
  const streamTo = name => ({
    write: text => {
      written[name] += text
    },
  })
  return {
    stdout: streamTo('stdout'),
    stderr: streamTo('stderr'),
    readStdin: async () => input,
    environment,
    color: false,
    now: Date.now,
    sleep: ms => sleep(ms),
    onSignal: () => {},
    exit: code => process.emit('uncaughtException', new Error(`a command wants to exit with ${code}`)),
  }
}

/** Only what the docs use: an unknown option is a mistake in them, or has to be added here. Fails if it gets an error. */
async function curl({ args, written }) {
  const headers = {}
  const data = []
  const urls = []
  let method
  const rest = [...args]
  while (rest.length > 0) {
    const arg = rest.shift()
    if (arg === '-sS' || arg === '-s') continue
    if (arg === '-X') method = rest.shift()
    else if (arg === '-d') data.push(rest.shift())
    else if (arg === '-H') {
      const [, name, value] = /^(.*?):(.*)$/s.exec(rest.shift())
      headers[name] = value.trim()
    } else if (arg.startsWith('-')) throw new Error(`this curl does not know ${arg}`)
    else urls.push(arg)
  }
  if (urls.length !== 1) throw new Error(`not one address: ${urls.join(' ')}`)
  const body = data.length === 0 ? undefined : data.join('&')
  const url = urls[0].includes('://') ? urls[0] : `http://${urls[0]}`
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body,
  })
  written.stdout += await response.text()
  if (response.ok) return 0
  written.stderr += `curl: ${response.status}\n`
  return 22
}
