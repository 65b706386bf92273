/** Requests to stop Carillon: the first stops it gracefully, a second one at once. */
import type { Terminal } from './output/terminal.ts'

/** One Ctrl+C may arrive twice, from the terminal and from npm; nobody presses it again this quickly. */
const SAME_KEY_PRESS_MS = 500
/** The usual exit code of a process ended by SIGINT: 128 + 2. */
const EXIT_INTERRUPTED = 130

export interface StopRequest {
  /** Resolves at the first SIGINT or SIGTERM. */
  requested: Promise<'stop'>
  isRequested(): boolean
}

/** From now on the first signal asks for a stop, and a second SIGINT ends the process. */
export function listenForStop(terminal: Terminal): StopRequest {
  let askedAtMs: number | undefined
  const requested = new Promise<'stop'>(resolve => {
    const ask = (isInterrupt: boolean) => () => {
      if (askedAtMs === undefined) {
        askedAtMs = terminal.now()
        terminal.stderr.write('Stopping: finishing what is in flight …\n')
        resolve('stop')
      } else if (isInterrupt && terminal.now() - askedAtMs > SAME_KEY_PRESS_MS)
        terminal.exit(EXIT_INTERRUPTED)
    }
    terminal.onSignal('SIGINT', ask(true))
    terminal.onSignal('SIGTERM', ask(false))
  })
  return { requested, isRequested: () => askedAtMs !== undefined }
}
