/** Starts tracing if the operator named a collector. */
import type { TracingOptions } from './collector.ts'
import type { Tracing } from './tracing.ts'

export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (options.url === '') return undefined
  const { connectCollector } = await import('./collector.ts')
  return connectCollector(options)
}

const MINUTE_MS = 60_000

/** Tells of drops at most once a minute, and how many there were since the last time. */
export function createDropReport(tell: (count: number, reason: string) => void, now: () => number) {
  let count = 0
  let toldMs = Number.NEGATIVE_INFINITY
  return (dropped: number, reason: string): void => {
    count += dropped
    if (now() - toldMs < MINUTE_MS) return
    tell(count, reason)
    count = 0
    toldMs = now()
  }
}
