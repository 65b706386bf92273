/** What the reader sees: what will be proven, a line per round, and the table in the end. */
import type { Part, Round } from './part.ts'

const MOST_VIOLATIONS = 20
const MOST_LINES = 60

export interface Result {
  part: Part
  rounds: Round[]
  seconds: number
}

export function introduction(parts: readonly Part[], rounds: number | undefined): string {
  const width = Math.max(...parts.map(({ name }) => name.length))
  const about = (part: Part) =>
    Math.max(1, Math.round((part.minutes * (rounds ?? part.rounds)) / part.rounds))
  const minutes = parts.reduce((sum, part) => sum + about(part), 0)
  return [
    `This takes about ${minutes} min on two cores, and proves:`,
    '',
    ...parts.map(part => `${part.name.padEnd(width)}  ${part.proves} (about ${about(part)} min)`),
    '',
  ].join('\n')
}

export function lineOf(part: Part, number: number, round: Round, seconds: number): string {
  const head = `${part.name} ${number}`
  if (round.obstacle !== undefined) return `- ${head}: ${round.what}: not possible here, ${round.obstacle}`
  const isOk = round.violations.length === 0
  const counts = countsOf(round.counts)
  const how = `${round.again}, ${seconds} s`
  const line = `${isOk ? '✓' : '✗'} ${head}: ${round.what}${counts === '' ? '' : `: ${counts}`} (${how})`
  return isOk ? line : [line, ...problemsOf(round)].join('\n')
}

function problemsOf({ violations, log = [], again }: Round): string[] {
  const more = violations.length - MOST_VIOLATIONS
  return [
    ...violations.slice(0, MOST_VIOLATIONS).map(violation => `    ✗ ${violation}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    ...log.slice(-MOST_LINES).map(line => `    | ${line}`),
    `    Again: npm run prove -- ${again} --rounds 1`,
  ]
}

export function tableOf(results: readonly Result[]): string {
  const rows = results.map(({ part, rounds, seconds }) => [
    part.name,
    String(rounds.length),
    verdictOf(rounds),
    `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
    countsOf(sumOf(rounds)),
  ])
  const all = [['part', 'rounds', 'result', 'time', 'looked at'], ...rows]
  const widths = all[0]!.map((_, i) => Math.max(...all.map(row => row[i]!.length)))
  return all
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Like the closing line of the tests. */
export function closingLine(results: readonly Result[]): string {
  const { proven, failed, impossible } = tallyOf(results.flatMap(({ rounds }) => rounds))
  return `${proven} proven, ${failed} failed${impossible > 0 ? `, ${impossible} not possible here` : ''}`
}

function verdictOf(rounds: Round[]): string {
  const { failed, impossible, proven } = tallyOf(rounds)
  if (failed > 0) return `${failed} FAILED`
  if (impossible > 0) return `${proven} ok, ${impossible} not possible here`
  return 'ok'
}

export function tallyOf(rounds: Round[]): { proven: number; failed: number; impossible: number } {
  const failed = rounds.filter(({ violations }) => violations.length > 0).length
  const impossible = rounds.filter(({ obstacle }) => obstacle !== undefined).length
  return { proven: rounds.length - failed - impossible, failed, impossible }
}

function sumOf(rounds: Round[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { counts } of rounds)
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

function countsOf(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ')
}
