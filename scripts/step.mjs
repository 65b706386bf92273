/** Runs a tool, showing one line with its title and how long it takes; its output is shown only when it fails. */
import { spawn } from 'node:child_process'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 80
const noticeableMs = 1_000

/** Resolves to whether the tool succeeded. A quiet step leaves no line behind when it succeeds. */
export async function runStep(title, command, args, { isQuiet = false } = {}) {
  const started = Date.now()
  const stopShowing = showProgress(title, started, isQuiet)
  const { code, output } = await capture(command, args)
  stopShowing()
  const seconds = ((Date.now() - started) / 1_000).toFixed(1)
  if (code !== 0) process.stderr.write(`✗ ${title} (${seconds} s)\n${endedWithNewline(output)}`)
  else if (!isQuiet) process.stderr.write(`✓ ${title} (${seconds} s)\n`)
  return code === 0
}

/** A spinner for people, one plain line for logs. */
function showProgress(title, started, isQuiet) {
  const { stderr } = process
  if (!stderr.isTTY) {
    if (!isQuiet) stderr.write(`${title} …\n`)
    return () => {}
  }
  const timer = setInterval(() => {
    const elapsed = Date.now() - started
    if (isQuiet && elapsed < noticeableMs) return
    const frame = frames[Math.floor(elapsed / frameMs) % frames.length]
    stderr.write(`\r\x1b[2K${frame} ${title} … ${Math.floor(elapsed / 1_000)} s`)
  }, frameMs)
  return () => {
    clearInterval(timer)
    stderr.write('\r\x1b[2K')
  }
}

function capture(command, args) {
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = chunk => {
      output += chunk
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', error => resolve({ code: 1, output: error.message }))
    child.once('close', code => resolve({ code, output }))
  })
}

function endedWithNewline(text) {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
