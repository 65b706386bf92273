/** Somebody wants Carillon to stop: once politely, twice at once. */
import type { Terminal } from './output/terminal.ts'

/** A Ctrl+C may arrive twice, from the terminal and from npm; nobody presses it again this quickly. */
const SAME_KEY_PRESS_MS = 500
/** What shells give a process that SIGINT ended: 128 + 2. */
const INTERRUPTED = 130

export interface StopRequest {
  /** Resolves at the first SIGINT or SIGTERM. */
  requested: Promise<'stop'>
  isRequested(): boolean
}

/** From now on the first signal asks for a stop, and a second SIGINT ends the process. */
export function listenForStop(terminal: Terminal): StopRequest {
  let askedAt: number | undefined
  const requested = new Promise<'stop'>(resolve => {
    const ask = (isInterrupt: boolean) => () => {
      if (askedAt === undefined) {
        askedAt = terminal.now()
        terminal.stderr.write('Stopping: finishing what is in flight …\n')
        resolve('stop')
      } else if (isInterrupt && terminal.now() - askedAt > SAME_KEY_PRESS_MS) terminal.exit(INTERRUPTED)
    }
    terminal.onSignal('SIGINT', ask(true))
    terminal.onSignal('SIGTERM', ask(false))
  })
  return { requested, isRequested: () => askedAt !== undefined }
}
