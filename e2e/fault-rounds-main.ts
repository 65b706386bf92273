/** node e2e/dist/e2e/fault-rounds-main.js [--kinds a,b] [--seed N] [--short] */
import { parseArgs } from 'node:util'
import { runCarillon } from './carillon-process.ts'
import { makeDataFolder } from './data-folder.ts'
import { KINDS } from './fault-rounds/kinds.ts'
import { type FaultReport, hasFailed, runFaultRound } from './fault-rounds.ts'

const { values } = parseArgs({
  options: {
    kinds: { type: 'string', default: KINDS.map(({ name }) => name).join(',') },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    short: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})

// A signal by itself would end this process without stopping what it runs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const names = values.kinds.split(',')
const unknown = names.filter(name => !KINDS.some(kind => kind.name === name))
if (unknown.length > 0) {
  const known = KINDS.map(({ name }) => name).join(', ')
  console.error(`There is no kind "${unknown.join(', ')}". Kinds are ${known}.`)
  process.exit(1)
}
const chosen = KINDS.filter(({ name }) => names.includes(name))

// One PostgreSQL for all kinds: that of a Carillon, which does nothing else.
const folder = makeDataFolder()
const keeper = runCarillon(['start', '--roles', 'maintenance'], {
  CARILLON_DATA_DIR: folder.path,
  CARILLON_CLEANUP_SECONDS: '604800',
  CARILLON_METRICS_SECONDS: '86400',
})
await keeper.announced()

const reports: FaultReport[] = []
const skipped: string[] = []
for (const kind of chosen) {
  const obstacle = kind.obstacle?.()
  if (obstacle !== undefined) {
    skipped.push(`${kind.name}: skipped, ${obstacle}`)
    continue
  }
  console.log(`${kind.name}: ${kind.what}`)
  const lines: string[] = []
  const report = await runFaultRound(kind, {
    adminUrl: folder.databaseUrl(),
    seed: Number(values.seed),
    isLong: !values.short,
    log: line => lines.push(line),
  }).catch((error: Error) => brokenOff(kind.name, error))
  reports.push(report)
  if (hasFailed(report) || values.verbose) console.log(lines.join('\n'))
}
await keeper.end('SIGTERM')
await folder.remove()

const counts = reports.map(report => ({
  kind: report.kind,
  injected: report.injected,
  lost: report.lost.length,
  stuck: report.stuck.length,
  duplicated: report.duplicated.length,
  wrong: report.wrong.length,
  intents: report.intents,
  'sent again': report.sentAgain,
  'repeats under the same id': report.repeats,
  seconds: report.seconds,
}))
console.table(counts)
for (const line of skipped) console.log(line)
for (const { kind, lost, stuck, duplicated, wrong } of reports) {
  for (const [what, problems] of Object.entries({ lost, stuck, duplicated, wrong }))
    for (const problem of problems.slice(0, 20)) console.log(`✗ ${kind}, ${what}: ${problem}`)
}
const failed = reports.filter(hasFailed)
console.log(`\nseed ${values.seed}`)
console.log(failed.length === 0 ? 'OK' : `FAILED: ${failed.map(({ kind }) => kind).join(', ')}`)
// A round that was broken off may leave something behind that would keep this process running.
process.exit(failed.length === 0 ? 0 : 1)

/** A round that could not be finished proves nothing, which is a failure too. */
function brokenOff(kind: string, error: Error): FaultReport {
  const none = { lost: [], stuck: [], duplicated: [], repeats: 0, intents: 0, sentAgain: 0, seconds: 0 }
  return { ...none, kind, injected: 0, wrong: [`broken off: ${error.stack}`] }
}
