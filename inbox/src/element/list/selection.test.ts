import { expect, it } from 'vitest'
import { extend, keepOnly, NOTHING, type Selection, selectAll, toggle } from './selection.ts'

const ORDER = ['a', 'b', 'c', 'd', 'e']
const idsOf = ({ ids }: Selection) => [...ids].sort().join('')

it('selects a row and lets it go', () => {
  const one = toggle(NOTHING, 'b')
  expect(idsOf(one)).toBe('b')
  expect(idsOf(toggle(one, 'b'))).toBe('')
  expect(idsOf(NOTHING)).toBe('')
})

it('extends from the last row that was chosen, and takes back what it went too far', () => {
  const down = extend(toggle(NOTHING, 'b'), ORDER, 'b', 'd')
  expect(idsOf(down)).toBe('bcd')
  expect(idsOf(extend(down, ORDER, 'd', 'c'))).toBe('bc')
  expect(idsOf(extend(down, ORDER, 'd', 'a'))).toBe('ab')
})

it('extends from the active row if nothing was chosen, and keeps what was chosen before', () => {
  expect(idsOf(extend(NOTHING, ORDER, 'd', 'e'))).toBe('de')
  expect(idsOf(extend(toggle(toggle(NOTHING, 'a'), 'd'), ORDER, 'd', 'e'))).toBe('ade')
})

it('forgets rows that are gone', () => {
  expect(idsOf(keepOnly(selectAll(ORDER), ['b', 'x']))).toBe('b')
  expect(keepOnly(NOTHING, ORDER)).toBe(NOTHING)
  expect(idsOf(extend(keepOnly(toggle(NOTHING, 'x'), ORDER), ORDER, 'b', 'c'))).toBe('bc')
})
