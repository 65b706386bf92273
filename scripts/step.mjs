/** Runs tools, showing one line for each with its title and how long it took; its output is shown only when it fails. */
import { spawn } from 'node:child_process'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 80
const noticeableMs = 1_000
const emptyLine = '\r\x1b[2K'

/** Resolves to whether the tool succeeded. A quiet step leaves no line behind when it succeeds. */
export async function runStep(title, command, args, { isQuiet = false } = {}) {
  if (!process.stderr.isTTY && !isQuiet) process.stderr.write(`${title} …\n`)
  const stopShowing = showProgress(() => title, isQuiet ? noticeableMs : 0)
  const result = await run(command, args)
  stopShowing()
  if (result.code !== 0 || !isQuiet) tell(title, result)
  return result.code === 0
}

/** Runs so many tools at once, and tells of them in the order of the list. Resolves to how many failed. */
export async function runSideBySide(steps, atOnce) {
  const running = new Set()
  const results = []
  let started = 0
  let told = 0
  const work = async () => {
    while (started < steps.length) {
      const index = started++
      const [title, command, args] = steps[index]
      running.add(title)
      results[index] = await run(command, args)
      running.delete(title)
      for (; results[told] !== undefined; told++) tell(steps[told][0], results[told])
    }
  }
  const stopShowing = showProgress(() => [...running].join(', '))
  await Promise.all(Array.from({ length: atOnce }, work))
  stopShowing()
  return results.filter(({ code }) => code !== 0).length
}

/** A spinner for people; logs have none. */
function showProgress(whatRuns, quietMs = 0) {
  const { stderr } = process
  if (!stderr.isTTY) return () => {}
  const started = Date.now()
  const timer = setInterval(() => {
    const elapsed = Date.now() - started
    if (elapsed < quietMs) return
    const frame = frames[Math.floor(elapsed / frameMs) % frames.length]
    const line = `${frame} ${whatRuns()} … ${Math.floor(elapsed / 1_000)} s`
    stderr.write(`${emptyLine}${line.slice(0, stderr.columns)}`)
  }, frameMs)
  return () => {
    clearInterval(timer)
    stderr.write(emptyLine)
  }
}

function tell(title, { code, output, seconds }) {
  const { stderr } = process
  const mark = code === 0 ? '✓' : '✗'
  stderr.write(`${stderr.isTTY ? emptyLine : ''}${mark} ${title} (${seconds} s)\n`)
  if (code !== 0 && output !== '') stderr.write(output.endsWith('\n') ? output : `${output}\n`)
}

function run(command, args) {
  const started = Date.now()
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = chunk => {
      output += chunk
    }
    const end = (code, output) =>
      resolve({ code, output, seconds: ((Date.now() - started) / 1_000).toFixed(1) })
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', error => end(1, error.message))
    child.once('close', code => end(code, output))
  })
}
