/** How commands write: the result to stdout as text or JSON, remarks for people to stderr. */
import { type Colors, stderrColors, stdoutColors } from './colors.ts'
import { type Column, renderTable } from './table.ts'
import type { Terminal } from './terminal.ts'

export interface Printer {
  json: boolean
  colors: Colors
  /** Columns of the terminal; unlimited when the output goes elsewhere, so that nothing is cut off for grep. */
  width: number
  /** The result of a command. Called once: --json promises exactly one document. */
  show(value: unknown, render: () => string): void
  /** A list as the result of a command. */
  list<Row>(rows: Row[], columns: Column<Row>[], notes: { empty: string; more?: boolean }): void
  /** Something worth knowing that is not the result; left out with --json. */
  remark(text: string): void
}

export function createPrinter(terminal: Terminal, json: boolean): Printer {
  const { stdout, stderr } = terminal
  const colors = stdoutColors(terminal, json)
  const width = stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY

  const show: Printer['show'] = (value, render) =>
    stdout.write(`${json ? JSON.stringify(value, null, 2) : render()}\n`)
  const remark: Printer['remark'] = text => {
    if (!json) stderr.write(`${stderrColors(terminal).dim(text)}\n`)
  }

  return {
    json,
    colors,
    width,
    show,
    remark,
    list(rows, columns, { empty, more = false }) {
      if (rows.length === 0 && !json) return remark(empty)
      show(rows, () => renderTable(rows, columns, width, colors))
      if (more) remark(`These are the first ${rows.length}; --limit shows more.`)
    },
  }
}
