/** The end of a run: a table for people, a file for comparing runs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Result } from './result.ts'

const resultFile = new URL('../results/latest.json', import.meta.url)

export function renderTable(results: Result[]): string {
  const header = ['', 'measured', 'anchor', 'ratio', 'best', 'aim', '']
  const rows = results.map(({ what, measured, anchor, ratio, aim, isMet }) => [
    what,
    measured,
    anchor,
    ratio === undefined ? '' : formatRatio(ratio.median),
    ratio === undefined ? '' : formatRatio(ratio.best),
    aim,
    isMet === undefined ? '' : isMet ? '✓' : '✗',
  ])
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map(row => row[column]!.length)),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd()
  const rule = widths.map(width => '─'.repeat(width)).join('  ')
  return [line(header), rule, ...rows.map(line)].join('\n')
}

function formatRatio(ratio: number): string {
  return ratio < 0.01 ? ratio.toPrecision(2) : ratio.toFixed(2)
}

/** Explains the columns; a ratio is misleading without its rules. */
export const legend =
  'ratio: median of the per-round ratios, the number that counts. best: best round over best round.\n' +
  'measured and anchor: best rounds. Absolute numbers of different runs or machines do not compare.'

/** Returns the path of the file. */
export function writeResults(results: Result[], postgres: string, seconds: number): string {
  mkdirSync(new URL('.', resultFile), { recursive: true })
  const machine = {
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? '',
    memory_gb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres,
  }
  const report = { at: new Date().toISOString(), seconds: Math.round(seconds), machine, results }
  writeFileSync(resultFile, `${JSON.stringify(report, null, 2)}\n`)
  return fileURLToPath(resultFile)
}
