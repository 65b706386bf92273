/**
 * One question at a time: what an answer says is applied before the next is asked, so no answer is older than what is shown,
 * and what a person does arrives in its order.
 */
export interface Queue {
  /** `keepsTrying` waits and tries again for as long as the failure is temporary. */
  run<T>(task: () => Promise<T>, options?: { keepsTrying?: boolean }): Promise<T>
  /** Whoever waits to try again does so now. */
  wakeUp(): void
  /** The page is about to go: what has to be sent is sent now, and not after what comes before it. */
  hurry(): void
  /** What has not been sent is refused; from then on the queue takes nothing. */
  stop(): void
}

export interface QueueParts {
  isTemporary: (error: unknown) => boolean
  /** A task failed for now and waits. */
  onWaiting: (error: unknown) => void
  /** Calls after a while; gives back how to call it off. */
  after: (ms: number, call: () => void) => () => void
}

const RETRY_MS = 5000

export function createQueue({ isTemporary, onWaiting, after }: QueueParts): Queue {
  /** How to begin those that have not. */
  const waiting = new Set<() => void>()
  let last: Promise<unknown> = Promise.resolve()
  let isStopped = false
  let resume: (() => void) | undefined

  function pause(): Promise<void> {
    return new Promise(resolve => {
      const cancel = after(RETRY_MS, () => resume?.())
      resume = () => {
        resume = undefined
        cancel()
        resolve()
      }
    })
  }

  async function attempt<T>(task: () => Promise<T>, keepsTrying: boolean): Promise<T> {
    for (;;) {
      if (isStopped) throw new StoppedError()
      try {
        return await task()
      } catch (error) {
        if (!keepsTrying || isStopped || !isTemporary(error)) throw error
        onWaiting(error)
        await pause()
      }
    }
  }

  return {
    run(task, { keepsTrying = false } = {}) {
      const before = last
      const turn = new Promise<void>(begin => {
        if (keepsTrying) waiting.add(begin)
        void before.then(() => begin())
        void before.then(() => waiting.delete(begin))
      })
      const result = turn.then(() => attempt(task, keepsTrying))
      last = Promise.allSettled([before, result])
      return result
    },
    wakeUp: () => resume?.(),
    hurry() {
      for (const begin of waiting) begin()
      resume?.()
    },
    stop() {
      isStopped = true
      resume?.()
    },
  }
}

/** The notification centre was taken off the page before this could be sent. */
export class StoppedError extends Error {
  constructor() {
    super('The inbox was stopped before this was sent.')
    this.name = 'StoppedError'
  }
}
