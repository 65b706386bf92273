/** Waits for something to become true by checking repeatedly, never by sleeping and hoping. */
import { setTimeout as delay } from 'node:timers/promises'

export interface WaitOptions {
  deadlineMs?: number
  everyMs?: number
  /** What is being waited for, for the message of a timeout. */
  what: string
  /** What went wrong elsewhere meanwhile, for that message too. */
  failures?: string[]
}

/** Returns the probe's first value that is not undefined, null or false. A probe that throws is called again. */
export async function waitFor<T>(
  probe: () => Promise<T | undefined | false | null>,
  { deadlineMs = 25_000, everyMs = 20, what, failures = [] }: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + deadlineMs
  let last: unknown
  for (let asked = 1; ; asked++) {
    try {
      const value = await probe()
      if (value !== undefined && value !== null && value !== false) return value
      last = value
    } catch (error) {
      last = error
    }
    if (Date.now() >= deadline) {
      const saw = last instanceof Error ? `it threw: ${last.message}` : `it gave ${String(last)}`
      const meanwhile = failures.length === 0 ? '' : `; meanwhile: ${failures.slice(-5).join('; ')}`
      throw new Error(
        `Waited ${deadlineMs} ms for ${what}; asked ${asked} times, the last time ${saw}${meanwhile}`,
        { cause: last },
      )
    }
    await delay(everyMs)
  }
}
