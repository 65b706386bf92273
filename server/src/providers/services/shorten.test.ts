import { describe, expect, it } from 'vitest'
import { shorten } from './shorten.ts'

const FAMILY = '👨‍👩‍👧'

describe('a text for a service with a limit', () => {
  it.each([
    ['stays as it is up to the limit', 'abcde', 5, 'abcde'],
    ['is cut with a mark within the limit', 'abcdef', 5, 'abcd…'],
    ['loses no half of a surrogate pair', 'ab😀cd', 4, 'ab…'],
    ['loses no part of a joined emoji', `a${FAMILY}bc`, 9, 'a…'],
    ['keeps a letter and its accent together', 'xe\u0301yz', 3, 'x…'],
    ['has no space before the mark', 'ab cd', 4, 'ab…'],
    ['is only the mark when nothing else fits', `${FAMILY}`, 3, '…'],
  ])('%s', (_title, text, limit, expected) => {
    expect(shorten(text, limit)).toBe(expected)
    expect(shorten(text, limit).length).toBeLessThanOrEqual(limit)
  })

  it('may have another mark', () => {
    expect(shorten('abcdefgh', 6, '...')).toBe('abc...')
  })
})
