/** Tables without lines that fit the terminal: ids stay whole to be copied, other columns give way or are left out. */
import Table from 'cli-table3'
import type { Colors } from './colors.ts'
import { printable } from './printable.ts'

export interface Column<Row> {
  head: string
  value(row: Row): string | number | null
  /** Never shortened. */
  whole?: boolean
  /** Left out where there is no room for it; the last of these first. */
  optional?: boolean
  paint?(text: string, row: Row): string
}

interface FilledColumn<Row> extends Column<Row> {
  texts: string[]
  natural: number
  least: number
}

const GAP = '  '
const NARROWEST = 8

export function renderTable<Row>(rows: Row[], columns: Column<Row>[], width: number, colors: Colors): string {
  const shown = leaveOut(
    columns.map(column => fill(column, rows)),
    width,
  )
  const table = new Table({
    head: shown.map(column => colors.dim(column.head)),
    colWidths: fitWidths(shown, width),
    chars: LINELESS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  rows.forEach((row, i) => {
    table.push(shown.map(({ texts, paint }) => paint?.(texts[i]!, row) ?? texts[i]!))
  })
  return table
    .toString()
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
}

function fill<Row>(column: Column<Row>, rows: Row[]): FilledColumn<Row> {
  const texts = rows.map(row => printable(String(column.value(row) ?? '')))
  const natural = Math.max(column.head.length, ...texts.map(text => text.length))
  return { ...column, texts, natural, least: column.whole ? natural : Math.min(natural, NARROWEST) }
}

function leaveOut<Row>(columns: FilledColumn<Row>[], width: number): FilledColumn<Row>[] {
  const dispensable = columns.findLastIndex(column => column.optional)
  if (dispensable === -1 || lineWidth(columns.map(column => column.least)) <= width) return columns
  return leaveOut(columns.toSpliced(dispensable, 1), width)
}

/** Takes from the widest column that may be shortened until the line fits; null leaves a column as it is. */
function fitWidths<Row>(columns: FilledColumn<Row>[], width: number): (number | null)[] {
  const widths = columns.map(column => column.natural)
  for (let excess = lineWidth(widths) - width; excess > 0; excess--) {
    const shrinkable = widths.map((w, j) => (w > columns[j]!.least ? w : 0))
    const widest = Math.max(...shrinkable)
    if (widest === 0) break
    widths[shrinkable.indexOf(widest)]!--
  }
  return widths.map((w, j) => (w === columns[j]!.natural ? null : w))
}

function lineWidth(widths: number[]): number {
  return widths.reduce((total, w) => total + w, GAP.length * (widths.length - 1))
}

const LINELESS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: GAP,
}
