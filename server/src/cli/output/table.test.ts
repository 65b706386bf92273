import pc from 'picocolors'
import { expect, test } from 'vitest'
import { type Column, renderTable } from './table.ts'

interface Row {
  id: string
  name: string
  text: string
}
const rows: Row[] = [
  { id: '0198c0de-0000', name: 'ada', text: 'a rather long text that goes on' },
  { id: '0198c0de-0001', name: 'a name of some length', text: 'short' },
]
const columns: Column<Row>[] = [
  { head: 'id', value: row => row.id, whole: true },
  { head: 'name', value: row => row.name },
  { head: 'text', value: row => row.text },
]
const plain = pc.createColors(false)

test('with room enough nothing is shortened', () => {
  expect(renderTable(rows, columns, Number.POSITIVE_INFINITY, plain)).toBe(
    [
      'id             name                   text',
      '0198c0de-0000  ada                    a rather long text that goes on',
      '0198c0de-0001  a name of some length  short',
    ].join('\n'),
  )
})

test('the widest columns are shortened first, ids never', () => {
  expect(renderTable(rows, columns, 48, plain)).toBe(
    [
      'id             name             text',
      '0198c0de-0000  ada              a rather long t…',
      '0198c0de-0001  a name of some…  short',
    ].join('\n'),
  )
})

test('a column without room is left out, the last optional one first', () => {
  const optional = columns.map(column => (column.head === 'id' ? column : { ...column, optional: true }))
  expect(renderTable(rows, optional, 30, plain)).toBe(
    ['id             name', '0198c0de-0000  ada', '0198c0de-0001  a name of some…'].join('\n'),
  )
})

test.each([30, 48, 60, 80, 200])('every line fits %i columns, as far as ids allow', width => {
  const leastWidth = 13 + 2 + 8 + 2 + 8
  for (const line of renderTable(rows, columns, width, plain).split('\n')) {
    expect(line.length).toBeLessThanOrEqual(Math.max(width, leastWidth))
  }
})

test('a line break or an escape sequence in a value does not break the row', () => {
  const hostile = [{ id: '1', name: 'two\nlines', text: '\u001b[31mred\u001b[0m' }]
  expect(renderTable(hostile, columns, 80, plain)).toBe(
    ['id  name       text', '1   two lines  [31mred [0m'].join('\n'),
  )
})
