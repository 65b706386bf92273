/** The end of one attempt: the caller aborts it or its time runs out, whichever comes first. */
import { setMaxListeners } from 'node:events'

export interface Deadline {
  /** Aborts at the deadline, with an error whose message says which of the two it was. */
  readonly signal: AbortSignal
  /** Settles like the work, or rejects at the deadline; a later rejection of the work is ignored, not left unhandled. */
  race<T>(work: Promise<T>): Promise<T>
  /** Removes timer and listener. Otherwise a long-lived caller signal would collect one listener per attempt. */
  clear(): void
}

/** Starts the clock of one attempt; without a timeout only the caller can end it. */
export function startDeadline(caller: AbortSignal, timeoutMs?: number): Deadline {
  const end = new AbortController()
  const abort = () => end.abort(new Error('the attempt was aborted'))
  const expire = () => end.abort(new Error(`no answer within ${timeoutMs} ms`))
  const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs)

  // A whole batch may share one signal; Node would warn of a leak from the eleventh attempt on.
  setMaxListeners(0, caller)
  if (caller.aborted) abort()
  else caller.addEventListener('abort', abort, { once: true })

  return {
    signal: end.signal,
    race: work => settleBefore(end.signal, work),
    clear() {
      clearTimeout(timer)
      caller.removeEventListener('abort', abort)
    },
  }
}

function settleBefore<T>(end: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    work.then(resolve, reject)
    if (end.aborted) reject(end.reason)
    else end.addEventListener('abort', () => reject(end.reason), { once: true })
  })
}
