/** A process that may open only 64 files: connections to the database, receivers and callers compete for them. */
import { execFileSync } from 'node:child_process'
import type { FaultKind } from '../kind.ts'
import { untilAcknowledged, untilSent } from '../progress.ts'

const MAX_FILES = 64

export const fewFiles: FaultKind = {
  name: 'few-files',
  what: `the process may open ${MAX_FILES} files (ulimit -n)`,
  obstacle: () => (isThere('prlimit') ? undefined : 'prlimit is not installed'),
  perSecond: 100,
  async inject(stage) {
    // From now on: Node opens more files than that at once to load its modules, and would not even start.
    const { pid } = stage.processes[0]!
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${MAX_FILES}:${MAX_FILES}`])
    let held = 0
    const release: (() => void)[] = []
    // Requests stay open until there are more of them than files.
    stage.http.answerWith(async () => {
      if (held++ < 2 * MAX_FILES) await new Promise<void>(resolve => release.push(resolve))
      return {}
    })
    const rounds = stage.isLong ? 10 : 1
    for (let round = 0; round < rounds; round++) {
      held = 0
      await untilAcknowledged(stage, 200)
      for (const answer of release.splice(0)) answer()
      await untilSent(stage, 100)
    }
    stage.http.answerWith(() => ({}))
    for (const answer of release.splice(0)) answer()
    return rounds
  },
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
