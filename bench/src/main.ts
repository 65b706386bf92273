/** npm run bench [-- name …] [--rounds n] [--scale x] [--verbose]: Carillon's rates on this machine, beside what they compare with. */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { benchmarkAccept } from './accept/accept.ts'
import { benchmarkActivity } from './activity/activity.ts'
import { benchmarkArchive } from './archive/archive.ts'
import { benchmarkDelivery } from './delivery/delivery.ts'
import { benchmarkGuards } from './delivery/guards.ts'
import { benchmarkFanout } from './fanout/fanout.ts'
import { benchmarkGates } from './gates/gates.ts'
import { benchmarkHistory } from './history/history.ts'
import { benchmarkInbox } from './inbox/inbox.ts'
import { benchmarkLatency } from './latency/latency.ts'
import { benchmarkLimits } from './limits/limits.ts'
import { benchmarkLive } from './live/live.ts'
import { benchmarkNeighbours } from './neighbours/neighbours.ts'
import { benchmarkOutbox } from './outbox/outbox.ts'
import { benchmarkProviders } from './providers/providers.ts'
import { benchmarkRendering } from './rendering/rendering.ts'
import { legend, renderTable, writeResults } from './report.ts'
import type { Benchmark, Result } from './result.ts'
import { openScratch } from './scratch.ts'
import { benchmarkScripts } from './scripts/scripts.ts'
import { benchmarkStreams } from './streams/streams.ts'
import { benchmarkWebhooks } from './webhooks/webhooks.ts'

const BENCHMARKS: Record<string, Benchmark> = {
  accept: benchmarkAccept,
  delivery: benchmarkDelivery,
  guards: benchmarkGuards,
  providers: benchmarkProviders,
  gates: benchmarkGates,
  rendering: benchmarkRendering,
  latency: benchmarkLatency,
  inbox: benchmarkInbox,
  live: benchmarkLive,
  neighbours: benchmarkNeighbours,
  history: benchmarkHistory,
  archive: benchmarkArchive,
  activity: benchmarkActivity,
  outbox: benchmarkOutbox,
  fanout: benchmarkFanout,
  webhooks: benchmarkWebhooks,
  limits: benchmarkLimits,
  scripts: benchmarkScripts,
  streams: benchmarkStreams,
}

const { names, rounds, scale, isVerbose } = readArguments()
const start = performance.now()
const scratch = await openScratch()
const results: Result[] = []
try {
  for (const name of names) {
    const tell = (line: string) => console.log(`${elapsed().padStart(6)}  ${name.padEnd(9)}  ${line}`)
    results.push(...(await BENCHMARKS[name]!({ scratch, rounds, scale, isVerbose, tell })))
  }
} finally {
  await scratch.close()
}
const file = writeResults(results, scratch.version, (performance.now() - start) / 1000)
console.log(`\n${renderTable(results)}\n\n${legend}\nAfter ${elapsed()}; all numbers: ${file}`)

function elapsed(): string {
  return `${((performance.now() - start) / 1000).toFixed(0)} s`
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      verbose: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter(name => !(name in BENCHMARKS))
  const rounds = Number(values.rounds)
  const scale = Number(values.scale)
  if (unknown.length > 0 || !(rounds >= 3 && rounds <= 50) || !(scale > 0 && scale <= 1)) {
    console.error(
      `npm run bench [-- ${Object.keys(BENCHMARKS).join('|')} …] [--rounds 3..50] [--scale 0..1] [--verbose]`,
    )
    process.exit(2)
  }
  const names = positionals.length > 0 ? positionals : Object.keys(BENCHMARKS)
  return { names, rounds, scale, isVerbose: values.verbose }
}
