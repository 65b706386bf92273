/** How fast queues are drained: each variant gets the same number of due items; worker and database are timed together. */
import type { Child } from '../child.ts'
import { type Comparison, type Context, compare, type Result } from '../result.ts'
import { formatRate, measureRounds, type Rates } from '../rounds.ts'

export const COUNT = 20_000
const WARM_UP = 5_000

/** What a process reports about one drained queue. */
export interface Drained {
  /** From the first item handled to the last one completed in the database. */
  seconds: number
  cpu_seconds: number
}

export interface Queue {
  /** Processes as many items as it is asked to. */
  process: Child
  /** Leaves exactly this many due items. */
  fill(count: number): Promise<void>
}

export interface Drains<Variant extends string> {
  perSecond: Rates<Variant>
  /** Items per second of processor time, worker and database together; NaN where it cannot be measured. */
  perCpuSecond: Rates<Variant>
}

/** Stops the processes in any case. */
export async function measureDrains<Variant extends string>(
  { scratch, rounds, isVerbose, tell }: Context,
  queues: Record<Variant, Queue>,
): Promise<Drains<Variant>> {
  const variants = Object.keys(queues) as Variant[]
  const perCpuSecond = Object.fromEntries(variants.map(name => [name, [] as number[]])) as Rates<Variant>

  async function drain(variant: Variant, count: number): Promise<number> {
    await queues[variant].fill(count)
    await scratch.checkpoint()
    const before = scratch.cpuMs()
    const drained = await queues[variant].process.ask<Drained>(count)
    const databaseMs = scratch.cpuMs()! - before!
    perCpuSecond[variant].push(count / (drained.cpu_seconds + databaseMs / 1000))
    if (isVerbose)
      tell(`${variant}: ${JSON.stringify({ ...drained, database_cpu_ms: Math.round(databaseMs) })}`)
    return count / drained.seconds
  }

  try {
    tell(`warming up, then ${COUNT.toLocaleString('en')} per round of each: ${variants.join(', ')}`)
    for (const variant of variants) await drain(variant, WARM_UP)
    for (const variant of variants) perCpuSecond[variant].length = 0
    const measure = (variant: Variant) => drain(variant, COUNT)
    return { perSecond: await measureRounds({ rounds: rounds + 2, variants, measure, tell }), perCpuSecond }
  } finally {
    await Promise.all(variants.map(variant => queues[variant].process.stop()))
  }
}

/** By the clock, and by processor time, which is steady even when the machine is not. */
export function compareDrains<Variant extends string>(
  { perSecond, perCpuSecond }: Drains<Variant>,
  [measured, anchor]: [Variant, Variant],
  about: Pick<Comparison, 'name' | 'what' | 'aim'>,
): Result[] {
  const byClock = compare({
    ...about,
    measured: perSecond[measured],
    anchor: perSecond[anchor],
    show: formatRate,
  })
  if (perCpuSecond[measured].some(Number.isNaN)) return [byClock]
  const byCost = compare({
    name: about.name,
    what: 'the same, per second of processor time',
    measured: perCpuSecond[measured],
    anchor: perCpuSecond[anchor],
    show: formatRate,
  })
  return [byClock, byCost]
}
