/** One signal for "timed out" and "the caller aborted", released as soon as the work is done. */
export interface Deadline {
  signal: AbortSignal
  hasPassed(): boolean
  clear(): void
}

/**
 * Written by hand because the timer of AbortSignal.timeout would keep running after a fast answer, and because a
 * timeout must be distinguishable from a caller that aborted.
 */
export function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let passed = false
  const timer = setTimeout(() => {
    passed = true
    controller.abort()
  }, timeoutMs)
  const giveUp = () => controller.abort(caller?.reason)
  if (caller?.aborted) giveUp()
  else caller?.addEventListener('abort', giveUp, { once: true })

  return {
    signal: controller.signal,
    hasPassed: () => passed,
    clear() {
      clearTimeout(timer)
      caller?.removeEventListener('abort', giveUp)
    },
  }
}

/** Waits; rejects with the caller's reason when the caller aborts first. */
export function sleep(ms: number, caller: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      clearTimeout(timer)
      reject(caller?.reason)
    }
    const timer = setTimeout(() => {
      caller?.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    if (caller?.aborted) giveUp()
    else caller?.addEventListener('abort', giveUp, { once: true })
  })
}
