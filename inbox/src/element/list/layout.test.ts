import type { InboxItem } from '@carillon/sdk'
import { expect, it } from 'vitest'
import { type Drawing, draw, layOut, slotAt } from './layout.ts'

const group = (key: string, count: number) => ({
  key,
  items: Array.from({ length: count }, (_, i) => ({ id: `${key}${i + 1}` }) as InboxItem),
})
const HEADING = 30
const ROW = 50
const lay = (...groups: ReturnType<typeof group>[]) =>
  layOut(groups, groups.length > 1, ({ item }) => (item === undefined ? HEADING : ROW))

/** `[space before] piece piece …` per section, and the space after all. */
const asText = ({ sections, after }: Drawing) => [
  ...sections.map(({ before, pieces }) => {
    const drawn = pieces.map(piece => ('slot' in piece ? piece.slot.key : piece.space))
    return [`(${before})`, ...drawn].join(' ')
  }),
  `(${after})`,
]

it('finds the slot at a height', () => {
  const { offsets } = lay(group('a', 3))
  expect([-5, 0, 49, 50, 149, 150, 999].map(y => slotAt(offsets, y))).toEqual([0, 0, 0, 1, 2, 2, 2])
  expect(slotAt(lay().offsets, 10)).toBe(0)
})

it('draws what is near, and space for the rest', () => {
  expect(asText(draw(lay(group('a', 10)), [3, 4], []))).toEqual(['(0) 150 a4 a5 250', '(0)'])
  expect(asText(draw(lay(group('a', 2)), [0, 20], []))).toEqual(['(0) a1 a2', '(0)'])
  expect(asText(draw(lay(), [0, 20], []))).toEqual(['(0)'])
})

it('keeps what has the focus, above or below', () => {
  expect(asText(draw(lay(group('a', 10)), [3, 4], [0, 8]))).toEqual(['(0) a1 100 a4 a5 150 a9 50', '(0)'])
  expect(asText(draw(lay(group('a', 3)), [0, 2], [1]))).toEqual(['(0) a1 a2 a3', '(0)'])
})

it('keeps the heading and the whole height of a group of which anything is drawn', () => {
  const three = lay(group('a', 2), group('b', 4), group('c', 2))
  expect(asText(draw(three, [5, 6], []))).toEqual(['(130) heading b 50 b2 b3 50', '(130)'])
  expect(asText(draw(three, [2, 3], []))).toEqual(['(0) heading a 50 a2', '(0) heading b 200', '(130)'])
  expect(asText(draw(three, [4, 4], [1]))).toEqual(['(0) heading a a1 50', '(0) heading b b1 150', '(130)'])
})
