/** node e2e/dist/e2e/stream-rounds-main.js [--entries 20000], of each stream */
import { parseArgs } from 'node:util'
import { runStreamRounds } from './stream-rounds.ts'

const { values } = parseArgs({ options: { entries: { type: 'string', default: '20000' } } })

// A signal by itself would end this process without stopping the servers it runs.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { counts, violations } = await runStreamRounds({
  entries: Number(values.entries),
  log: line => console.log(line),
})
const width = Math.max(...Object.keys(counts).map(name => name.length))
console.log('')
for (const [name, count] of Object.entries(counts)) console.log(`${name.padEnd(width)}  ${count}`)
for (const violation of violations.slice(0, 50)) console.log(`✗ ${violation}`)
console.log(violations.length === 0 ? '\nOK' : `\nFAILED: ${violations.length} violations`)
process.exitCode = violations.length === 0 ? 0 : 1
