/** npm run prove -- [part…] [--rounds N] [--seed N] [--only piece] */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeScratch, removeScratch, sweepKilledRuns } from './leave-nothing.ts'
import type { Part, Round } from './part.ts'
import { PARTS } from './parts.ts'
import { closingLine, introduction, lineOf, type Result, tableOf, tallyOf } from './print.ts'
import { runPart } from './run-part.ts'

const INTERRUPTED = 130
const USAGE = `npm run prove -- [part…] [--rounds N] [--seed N] [--only piece]
Parts are ${PARTS.map(({ name }) => name).join(', ')}.`

const { values, positionals } = readArguments()
const parts = chooseParts()
const rounds = values.rounds === undefined ? undefined : wholeNumber('--rounds', values.rounds)
if (rounds === 0) giveUp('--rounds is at least 1.')
const seed = wholeNumber('--seed', values.seed)

const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort())

console.log(introduction(parts, rounds))
await sweepKilledRuns()
const scratch = makeScratch()
const results: Result[] = []
try {
  for (const part of parts) {
    if (interruption.signal.aborted) break
    results.push(await prove(part))
  }
} finally {
  await removeScratch(scratch)
}
console.log(`\n${tableOf(results)}\n`)
if (interruption.signal.aborted) console.log('Interrupted; what is not listed was not looked at.')
console.log(closingLine(results))
process.exitCode = exitCode()

async function prove(part: Part): Promise<Result> {
  const startedAt = Date.now()
  const secondsSince = (from: number) => Math.round((Date.now() - from) / 1000)
  const own = join(scratch, part.name)
  mkdirSync(own, { mode: 0o755 })
  const seen: Round[] = []
  let last = startedAt
  await runPart(
    part,
    { rounds: rounds ?? part.rounds, seed, only: values.only, scratch: own },
    {
      interrupted: interruption.signal,
      onRound: round => {
        seen.push(round)
        console.log(lineOf(part, seen.length, round, secondsSince(last)))
        last = Date.now()
      },
    },
  )
  await removeScratch(own)
  return { part, rounds: seen, seconds: secondsSince(startedAt) }
}

function exitCode(): number {
  if (interruption.signal.aborted) return INTERRUPTED
  const { failed, impossible } = tallyOf(results.flatMap(({ rounds }) => rounds))
  // What was not looked at is not proven, so a run in CI may not have any.
  return failed > 0 || (process.env.CI === 'true' && impossible > 0) ? 1 : 0
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        only: { type: 'string' },
      },
    })
  } catch (error) {
    return giveUp(`${(error as Error).message}\n${USAGE}`)
  }
}

function chooseParts(): readonly Part[] {
  const unknown = positionals.filter(name => !PARTS.some(part => part.name === name))
  if (unknown.length > 0)
    giveUp(`There is no part "${unknown.join(', ')}". Parts are ${PARTS.map(({ name }) => name).join(', ')}.`)
  const chosen = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  if (values.only === undefined) return chosen
  const pieces = chosen.length === 1 ? (chosen[0]!.pieces?.() ?? []) : []
  if (!pieces.includes(values.only))
    giveUp(
      pieces.length === 0
        ? '--only needs one part that consists of pieces, such as faults.'
        : `There is no "${values.only}" in ${chosen[0]!.name}. It has ${pieces.join(', ')}.`,
    )
  return chosen
}

function wholeNumber(option: string, given: string): number {
  if (!/^\d+$/.test(given)) giveUp(`${option} is a whole number, not "${given}".`)
  return Number(given)
}

function giveUp(reason: string): never {
  console.error(reason)
  process.exit(1)
}
