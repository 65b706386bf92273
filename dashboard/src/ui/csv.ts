/** Any table as a file. */
import type { Column } from './data-table.tsx'
import type { Rows } from './use-rows.ts'

/** More than this is an export for the API or the command line, not for a browser. */
export const MOST_ROWS = 10_000

/** A cell that a spreadsheet would take for a formula is marked as text. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvText<Row>(columns: Column<Row>[], rows: Row[]): string {
  const shown = columns.filter(column => column.csv)
  const lines = [
    shown.map(({ title }) => csvCell(title)),
    ...rows.map(row => shown.map(({ csv }) => csvCell(csv!(row)))),
  ]
  return lines.map(cells => `${cells.join(',')}\r\n`).join('')
}

/** Every row that matches, not only those that are shown; `onProgress` hears how many there are so far. */
export async function downloadCsv<Row>(
  name: string,
  columns: Column<Row>[],
  list: Rows<Row>,
  onProgress: (count: number) => void,
): Promise<{ isCut: boolean }> {
  const rows: Row[] = []
  let cursor: string | null | undefined
  do {
    const page = await list.fetchPage({ limit: 100, ...(cursor ? { cursor } : {}) })
    rows.push(...page.data)
    cursor = page.next_cursor
    onProgress(rows.length)
  } while (cursor && rows.length < MOST_ROWS)
  const url = URL.createObjectURL(new Blob([csvText(columns, rows)], { type: 'text/csv;charset=utf-8' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: `${name}.csv` })
  link.click()
  URL.revokeObjectURL(url)
  return { isCut: Boolean(cursor) }
}
