/**
 * What a message costs with each kind of provider that uses HTTP, sent to a server on this machine that answers as the
 * service documents it; as a ratio to a plain POST of the same body to the same server. Measured by processor time of
 * the sending process: the clock would include the server's share and whatever else the machine does.
 */
import { type Child, startChild } from '../child.ts'
import { type Benchmark, type Context, compare, type Result } from '../result.ts'
import { formatRate, measureRounds } from '../rounds.ts'
import type { Order, Sent } from './sender-process.ts'
import { httpKinds } from './services.ts'

const COUNT = 3_000
const WARM_UP = 1_000
const VARIANTS = ['provider', 'plain'] as const
type Variant = (typeof VARIANTS)[number]

export const benchmarkProviders: Benchmark = async context => {
  const receiver = await startChild(new URL('./receiver-process.js', import.meta.url), {})
  const sender = await startChild(new URL('./sender-process.js', import.meta.url), {})
  const results: Result[] = []
  try {
    context.tell(`${COUNT.toLocaleString('en')} messages and as many plain requests per round`)
    for (const kind of httpKinds()) {
      const origin = await receiver.ask<string>(kind)
      await sender.ask({ kind, origin } satisfies Order)
      results.push(await measureKind(kind, sender, context))
    }
    return results
  } finally {
    await Promise.all([sender.stop(), receiver.stop()])
  }
}

async function measureKind(kind: string, sender: Child, { rounds, tell }: Context): Promise<Result> {
  const perSecond: Record<Variant, number[]> = { provider: [], plain: [] }
  const send = (variant: Variant, count: number) => sender.ask<Sent>({ variant, count } satisfies Order)

  for (const variant of VARIANTS) await send(variant, WARM_UP)
  const rates = await measureRounds({
    rounds,
    variants: VARIANTS,
    async measure(variant) {
      const { seconds, cpu_seconds } = await send(variant, COUNT)
      perSecond[variant].push(COUNT / seconds)
      return COUNT / cpu_seconds
    },
    tell: line => tell(`${kind}, ${line}`),
  })
  return compare({
    name: 'providers',
    what: `${kind} : plain POST, processor time per message`,
    measured: rates.provider,
    anchor: rates.plain,
    show: showCost,
    data: { perSecond },
  })
}

function showCost(rate: number): string {
  return `${Math.round(1e6 / rate)} µs, ${formatRate(rate)}`
}
