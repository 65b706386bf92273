/** Runs a part in a child process, and passes on its rounds as they end. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { waitFor } from '../../server/test/wait-for.ts'
import type { Part, Round, Task } from './part.ts'

const PROGRAM = fileURLToPath(new URL('./one-part.js', import.meta.url))
/** How long what it started may take to stop gracefully. */
const STOP_MS = 30_000
const KEPT_OUTPUT = 4_000

export async function runPart(
  part: Part,
  task: Task,
  { interrupted, onRound }: { interrupted: AbortSignal; onRound: (round: Round) => void },
): Promise<void> {
  // A process group of its own: what it starts can be ended with it, and Ctrl-C reaches only this process.
  const child = fork(PROGRAM, [JSON.stringify({ name: part.name, task })], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const output = collect(child)
  const again = `${part.name} --seed ${task.seed}`
  const fail = (what: string, violation: string) =>
    onRound({ what, again, counts: {}, violations: [violation], log: output().split('\n') })

  const watch = { timer: setTimeout(tooLong, part.longestRoundMinutes * 60_000) }
  let isTooLong = false
  function tooLong(): void {
    isTooLong = true
    child.kill('SIGTERM')
  }
  child.on('message', round => {
    watch.timer.refresh()
    onRound(round as Round)
  })
  const stop = () => child.kill('SIGTERM')
  interrupted.addEventListener('abort', stop)

  const [code, signal] = await once(child, 'exit')
  clearTimeout(watch.timer)
  interrupted.removeEventListener('abort', stop)
  await endGroup(child.pid!)
  if (isTooLong) fail('broken off', `a round did not end within ${part.longestRoundMinutes} minutes`)
  else if (code !== 0 && !interrupted.aborted) fail('broken off', `its process ended with ${code ?? signal}`)
}

function collect(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', chunk => {
      output = (output + chunk).slice(-KEPT_OUTPUT)
    })
  return () => output
}

/** Processes of Carillon were told to stop when the part ended; what does not is killed. */
async function endGroup(group: number): Promise<void> {
  const isGone = async () => !signalGroup(group, 0)
  await waitFor(isGone, { what: `the processes of group ${group} to end`, deadlineMs: STOP_MS }).catch(() =>
    signalGroup(group, 'SIGKILL'),
  )
}

function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal)
  } catch {
    return false
  }
}
