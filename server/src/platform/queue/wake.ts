/**
 * "There may be work": a hint inside the process. Losing one costs a poll interval, never work. Waiting ends with the
 * next call, with the time-out, or at once when a call came since the last wait.
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

/** Passes hints on at most every so often: the first at once, those that follow it together. */
export function createHint(wake: Wake, quietMs: number): () => void {
  let quietUntil = 0
  let timer: NodeJS.Timeout | undefined
  return () => {
    const wait = quietUntil - Date.now()
    if (wait > 0) {
      timer ??= setTimeout(pass, wait).unref()
    } else pass()
  }

  function pass(): void {
    clearTimeout(timer)
    timer = undefined
    quietUntil = Date.now() + quietMs
    wake.call()
  }
}
