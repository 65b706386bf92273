/** Intents that come faster than they can be delivered. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { FaultKind } from '../kind.ts'
import type { Stage } from '../stage.ts'

const ANSWER_MS = 500
const SENDERS = 100
const LARGEST_GROWTH_MB = 300

interface Seen {
  peakMb: number
  atStartMb: number
}
const seen = new WeakMap<Stage, Seen>()

export const overload: FaultKind = {
  name: 'overload',
  what: 'for three minutes intents come faster than they can be delivered',
  obstacle: () => (process.platform === 'linux' ? undefined : 'memory is read from /proc'),
  settings: () => ({ CARILLON_DELIVERY_CONCURRENCY: '20' }),
  async inject(stage) {
    stage.http.answerWith(async () => {
      await delay(ANSWER_MS)
      return {}
    })
    const { pid } = stage.processes[0]!
    const result: Seen = { peakMb: 0, atStartMb: residentMb(pid) }
    seen.set(stage, result)
    const end = Date.now() + (stage.isLong ? 180_000 : 10_000)
    const watch = setInterval(() => {
      result.peakMb = Math.max(result.peakMb, residentMb(pid))
    }, 250)
    await Promise.all(Array.from({ length: SENDERS }, () => sendUntil(stage, end)))
    clearInterval(watch)
    stage.log(`${stage.producer.sendings.length} intents, ${result.atStartMb} MB, then ${result.peakMb} MB`)
    stage.http.answerWith(() => ({}))
    return 1
  },
  check(stage) {
    const { peakMb, atStartMb } = seen.get(stage)!
    const growth = peakMb - atStartMb
    return growth <= LARGEST_GROWTH_MB ? [] : [`the process grew from ${atStartMb} MB to ${peakMb} MB`]
  },
}

async function sendUntil({ producer, planner }: Stage, endMs: number): Promise<void> {
  while (Date.now() < endMs) await producer.send(planner.next())
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
}
