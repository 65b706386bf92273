/**
 * A hint inside the process that there may be work. Losing one costs a poll interval, never work. A wait ends with the
 * next call or at the timeout, or at once when there was a call since the last wait.
 */
export interface Wake {
  call(): void
  wait(timeoutMs: number): Promise<void>
}

export function createWake(): Wake {
  let called = false
  let release: (() => void) | undefined

  return {
    call() {
      called = true
      release?.()
    },
    async wait(timeoutMs) {
      if (!called) {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, timeoutMs)
          release = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        release = undefined
      }
      called = false
    },
  }
}

/** Passes hints on at most once per interval: the first at once, those that follow within it together at its end. */
export function createHint(wake: Wake, intervalMs: number): () => void {
  let nextPassMs = 0
  let timer: NodeJS.Timeout | undefined
  return () => {
    const waitMs = nextPassMs - Date.now()
    if (waitMs > 0) {
      timer ??= setTimeout(pass, waitMs).unref()
    } else pass()
  }

  function pass(): void {
    clearTimeout(timer)
    timer = undefined
    nextPassMs = Date.now() + intervalMs
    wake.call()
  }
}
