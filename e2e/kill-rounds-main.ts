/** node e2e/dist/e2e/kill-rounds-main.js [--rounds 20] [--seed N] [--users N] [--per-second N] */
import { parseArgs } from 'node:util'
import { runKillRounds } from './kill-rounds.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    users: { type: 'string', default: '6000' },
    'per-second': { type: 'string', default: '200' },
  },
})

// A signal by itself would end this process without stopping the Carillon it runs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const report = await runKillRounds({
  rounds: Number(values.rounds),
  seed: Number(values.seed),
  users: Number(values.users),
  perSecond: Number(values['per-second']),
  log: line => console.log(line),
})

const { counts, violations } = report
const width = Math.max(...Object.keys(counts).map(name => name.length))
console.log('')
for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(width)}  ${count}`)
console.log(`${'seed'.padEnd(width)}  ${values.seed}\n`)
for (const violation of violations.slice(0, 50)) console.log(`✗ ${violation}`)
console.log(violations.length === 0 ? 'OK' : `FAILED: ${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1
