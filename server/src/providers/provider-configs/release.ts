/** Lets go of what hangs on a provider: once it is removed or switched off, nobody waits for its answers any more. */
import { setMaxListeners } from 'node:events'
import type { Outcome, Provider } from '../services/provider.ts'

export interface Releasable {
  provider: Provider
  isInUse(): boolean
  /** Resolves once nothing is being sent through it. */
  whenIdle(): Promise<void>
  /** Ends everything that is being sent through it. */
  release(): void
}

/**
 * An attempt that is ended is one that did not finish: it is repeated, or uncertain if the message may have arrived, like
 * after a time-out.
 */
export function makeReleasable(provider: Provider): Releasable {
  const attempts = new Set<AbortController>()
  const waiting: (() => void)[] = []
  let isReleased = false

  async function withEnd<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const end = new AbortController()
    const abort = () => end.abort(caller.reason)
    // A whole batch shares the caller's signal; Node would warn of a leak from the eleventh attempt on.
    setMaxListeners(0, caller)
    caller.addEventListener('abort', abort, { once: true })
    if (caller.aborted || isReleased) end.abort()
    attempts.add(end)
    try {
      return await work(end.signal)
    } finally {
      attempts.delete(end)
      caller.removeEventListener('abort', abort)
      if (attempts.size === 0) for (const tell of waiting.splice(0)) tell()
    }
  }

  const explained = (outcome: Outcome): Outcome =>
    isReleased && (outcome.kind === 'retry' || outcome.kind === 'uncertain')
      ? { ...outcome, message: `${outcome.message}; the provider was removed or switched off` }
      : outcome

  const { takePlace, inquiry, receipts } = provider
  return {
    provider: {
      name: provider.name,
      ...(takePlace && { takePlace: signal => withEnd(signal, takePlace) }),
      send: (message, signal, place) =>
        withEnd(signal, async end => explained(await provider.send(message, end, place))),
      ...(inquiry && {
        inquiry: {
          settlesAfterMs: inquiry.settlesAfterMs,
          wasSent: (message, since, signal) => withEnd(signal, end => inquiry.wasSent(message, since, end)),
        },
      }),
      ...(receipts && {
        receipts: { fetch: (tickets, signal) => withEnd(signal, end => receipts.fetch(tickets, end)) },
      }),
      close: () => provider.close(),
    },
    isInUse: () => attempts.size > 0,
    whenIdle: () => new Promise(resolve => (attempts.size === 0 ? resolve() : void waiting.push(resolve))),
    release() {
      isReleased = true
      for (const attempt of attempts) attempt.abort(new Error('the provider was removed or switched off'))
    },
  }
}
