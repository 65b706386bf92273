/** The shape of every long-lived part. */
export interface Service {
  readonly name: string
  start(): Promise<void>
  /** Resolves when it really stopped; may be called twice. */
  stop(): Promise<void>
}

export interface LoopOptions {
  name: string
  /** One round. Answers how long to wait before the next one; 0 = at once. */
  round: () => Promise<number>
  /** Waits, but no longer than told. */
  wait: (ms: number) => Promise<void>
  onError: (error: unknown) => void
}

/** A round, over and over, until stopped. A failing round is reported and tried again after a pause that grows to 5 s. */
export function createLoop(options: LoopOptions & { interrupt: () => void }): Service {
  let stopping = false
  let running: Promise<void> | undefined
  let failures = 0

  async function run(): Promise<void> {
    while (!stopping) {
      let pause: number
      try {
        pause = await options.round()
        failures = 0
      } catch (error) {
        options.onError(error)
        failures++
        pause = Math.min(5000, 100 * 2 ** Math.min(failures, 6))
      }
      if (!stopping && pause > 0) await options.wait(pause)
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
