/** Borderless tables that fit the terminal: ids stay whole for copying, other columns are shortened or left out. */
import Table from 'cli-table3'
import type { Colors } from './colors.ts'
import { printable } from './printable.ts'

export interface Column<Row> {
  head: string
  value(row: Row): string | number | null
  /** Never shortened. */
  whole?: boolean
  /** Left out when there is no room for it; the last such column goes first. */
  optional?: boolean
  paint?(text: string, row: Row): string
}

interface FilledColumn<Row> extends Column<Row> {
  texts: string[]
  fullWidth: number
  minWidth: number
}

const GAP = '  '
const MIN_WIDTH = 8

export function renderTable<Row>(rows: Row[], columns: Column<Row>[], width: number, colors: Colors): string {
  const shown = dropOptional(
    columns.map(column => fill(column, rows)),
    width,
  )
  const table = new Table({
    head: shown.map(column => colors.dim(column.head)),
    colWidths: fitWidths(shown, width),
    chars: BORDERLESS,
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
  const fullWidth = Math.max(column.head.length, ...texts.map(text => text.length))
  const minWidth = column.whole ? fullWidth : Math.min(fullWidth, MIN_WIDTH)
  return { ...column, texts, fullWidth, minWidth }
}

function dropOptional<Row>(columns: FilledColumn<Row>[], width: number): FilledColumn<Row>[] {
  const lastOptional = columns.findLastIndex(column => column.optional)
  if (lastOptional === -1 || lineWidth(columns.map(column => column.minWidth)) <= width) return columns
  return dropOptional(columns.toSpliced(lastOptional, 1), width)
}

/** Shortens the widest column, one character at a time, until the line fits; null leaves a column as it is. */
function fitWidths<Row>(columns: FilledColumn<Row>[], width: number): (number | null)[] {
  const widths = columns.map(column => column.fullWidth)
  for (let excess = lineWidth(widths) - width; excess > 0; excess--) {
    const shrinkable = widths.map((w, j) => (w > columns[j]!.minWidth ? w : 0))
    const widest = Math.max(...shrinkable)
    if (widest === 0) break
    widths[shrinkable.indexOf(widest)]!--
  }
  return widths.map((w, j) => (w === columns[j]!.fullWidth ? null : w))
}

function lineWidth(widths: number[]): number {
  return widths.reduce((total, w) => total + w, GAP.length * (widths.length - 1))
}

const BORDERLESS = {
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
