/** The interface of every part that runs as long as the process. */
export interface Service {
  readonly name: string
  start(): Promise<void>
  /** Resolves when it has really stopped; may be called twice. */
  stop(): Promise<void>
}

export interface LoopOptions {
  name: string
  /** One round. Returns how many milliseconds to wait before the next one; 0: no wait. */
  round: () => Promise<number>
  /** Waits, but no longer than this. */
  wait: (ms: number) => Promise<void>
  onError: (error: unknown) => void
}

/** Runs one round after another until stopped. A failed round is reported and repeated after a pause that grows to 5 s. */
export function createLoop(options: LoopOptions & { interrupt: () => void }): Service {
  let stopping = false
  let running: Promise<void> | undefined
  let failures = 0

  async function run(): Promise<void> {
    while (!stopping) {
      let pauseMs: number
      try {
        pauseMs = await options.round()
        failures = 0
      } catch (error) {
        options.onError(error)
        failures++
        pauseMs = Math.min(5000, 100 * 2 ** Math.min(failures, 6))
      }
      if (!stopping && pauseMs > 0) await options.wait(pauseMs)
    }
  }

  return {
    name: options.name,
    async start() {
      running ??= run()
    },
    async stop() {
      stopping = true
      options.interrupt()
      await running
    },
  }
}
