import { expect, it } from 'vitest'
import { groupRows } from './groups.ts'
import { anItem } from './item.fixture.ts'

const at = (n: number, last_event_at: string, fields = {}) => anItem({ n, last_event_at, ...fields })
const ROWS = [
  at(4, '2026-03-02T03:30:00.000Z', { topic: 'docs' }),
  at(3, '2026-03-01T23:30:00.000Z', { is_read: true }),
  at(2, '2026-03-01T06:00:00.000Z', { topic: 'docs', is_read: true }),
  at(1, '2026-03-01T04:30:00.000Z', { topic: 'site' }),
]
const shape = (groups: ReturnType<typeof groupRows>) =>
  groups.map(({ key, items, unread }) => [key, items.map(({ title }) => title.slice(5)).join(), unread])

it('groups by topic, in the order of the newest row of each', () => {
  expect(shape(groupRows(ROWS, 'topic'))).toEqual([
    ['docs', '4,2', 1],
    ['', '3', 0],
    ['site', '1', 1],
  ])
})

it.each([
  [
    'UTC',
    [
      ['2026-03-02', '4', 1],
      ['2026-03-01', '3,2,1', 1],
    ],
  ],
  [
    'America/New_York',
    [
      ['2026-03-01', '4,3,2', 1],
      ['2026-02-28', '1', 1],
    ],
  ],
  [
    'Asia/Tokyo',
    [
      ['2026-03-02', '4,3', 1],
      ['2026-03-01', '2,1', 1],
    ],
  ],
])('groups by the days of %s', (zone, expected) => {
  expect(shape(groupRows(ROWS, 'date', zone))).toEqual(expected)
})

it('uses the browser’s own days for a zone that it does not know', () => {
  expect(groupRows(ROWS, 'date', 'Mars/Olympus')).toEqual(groupRows(ROWS, 'date'))
})

it('keeps a day together on which clocks change', () => {
  const night = ['10-25T22:59:59', '10-25T00:30:00', '10-24T22:00:00', '10-24T21:59:59']
  const rows = night.map((time, index) => at(4 - index, `2026-${time}.000Z`, { is_read: true }))
  expect(shape(groupRows(rows, 'date', 'Europe/Berlin'))).toEqual([
    ['2026-10-25', '4,3,2', 0],
    ['2026-10-24', '1', 0],
  ])
})
