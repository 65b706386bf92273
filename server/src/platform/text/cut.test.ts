import { describe, expect, it } from 'vitest'
import { cut, decodeStart, storable, type Unit } from './cut.ts'

const FAMILY = '👨‍👩‍👧'
const LENGTHS: Record<Unit, (text: string) => number> = {
  utf16: text => text.length,
  characters: text => Array.from(text).length,
  bytes: text => Buffer.byteLength(text),
  json: text => Buffer.byteLength(JSON.stringify(text)) - 2,
}

describe('a text that is cut', () => {
  type Case = [title: string, text: string, limit: number, unit: Unit, mark: string, expected: string]
  it.each<Case>([
    ['stays as it is up to the limit', 'abcde', 5, 'utf16', '…', 'abcde'],
    ['gets a mark within the limit', 'abcdef', 5, 'utf16', '…', 'abcd…'],
    ['may have another mark', 'abcdefgh', 6, 'utf16', '...', 'abc...'],
    ['may have none', 'abcdef', 5, 'utf16', '', 'abcde'],
    ['has no space before the mark', 'ab cd', 4, 'utf16', '…', 'ab…'],
    ['keeps a space at the end without a mark', 'ab cd', 3, 'utf16', '', 'ab '],
    ['loses no half of a surrogate pair', 'ab😀cd', 4, 'utf16', '…', 'ab…'],
    ['loses no part of a joined emoji', `a${FAMILY}bc`, 9, 'utf16', '…', 'a…'],
    ['keeps a joined emoji that fits', `a${FAMILY}bc`, 10, 'utf16', '…', `a${FAMILY}…`],
    ['keeps a letter and its accent together', 'xe\u0301yz', 3, 'utf16', '…', 'x…'],
    ['keeps the two letters of a flag together', '🇨🇭🇨🇭', 6, 'utf16', '', '🇨🇭'],
    ['keeps CR and LF together', 'ab\r\ncd', 3, 'utf16', '', 'ab'],
    ['is only the mark when nothing else fits', FAMILY, 3, 'utf16', '…', '…'],
    ['is empty without room', 'abc', 0, 'utf16', '', ''],
    ['is empty when it was', '', 0, 'utf16', '…', ''],
    ['counts code points', '😀😀😀', 2, 'characters', '', '😀😀'],
    ['fits by code points', '😀😀😀', 3, 'characters', '', '😀😀😀'],
    ['by code points tears no joined emoji', `a${FAMILY}`, 4, 'characters', '', 'a'],
    ['counts bytes', 'äöü', 5, 'bytes', '', 'äö'],
    ['fits by bytes', 'äöü', 6, 'bytes', '', 'äöü'],
    ['counts the bytes of the mark', 'äöüß', 7, 'bytes', '…', 'äö…'],
    ['counts bytes of emoji', '🦉🦉', 7, 'bytes', '', '🦉'],
    ['counts what JSON escapes', '"""', 4, 'json', '', '""'],
    ['fits in JSON', '"""', 6, 'json', '', '"""'],
    ['counts control characters of JSON', 'a\u0001b', 6, 'json', '', 'a'],
    ['counts halves of characters in JSON', '\ud83d\ud83d', 11, 'json', '', '\ud83d'],
    [
      'of piled accents loses only those too many',
      `e${'\u0301'.repeat(300)}`,
      200,
      'utf16',
      '',
      `e${'\u0301'.repeat(199)}`,
    ],
  ])('%s', (_title, text, limit, unit, mark, expected) => {
    expect(cut(text, limit, unit, mark)).toBe(expected)
    expect(LENGTHS[unit](cut(text, limit, unit, mark))).toBeLessThanOrEqual(limit)
  })
})

describe('a text that is stored', () => {
  it.each<[title: string, text: string, limit: number, unit: Unit, expected: string]>([
    ['stays as it is', 'Grüezi 🦉', 100, 'utf16', 'Grüezi 🦉'],
    [
      'shows where a NUL was, so that no redacted secret becomes whole',
      'tok\0en',
      100,
      'utf16',
      'tok\uFFFDen',
    ],
    ['shows where half a character was', 'a\ud800b\udc00', 100, 'utf16', 'a\uFFFDb\uFFFD'],
    ['is not cut in the middle of an emoji', 'x😀', 2, 'utf16', 'x'],
    ['counts what it replaced', '\0\0\0', 8, 'bytes', '\uFFFD\uFFFD'],
  ])('%s', (_title, text, limit, unit, expected) => {
    expect(storable(text, limit, unit)).toBe(expected)
  })
})

describe('bytes that are read as text', () => {
  it.each<[title: string, bytes: Buffer, limit: number, expected: string]>([
    ['within the limit are whole', Buffer.from('äb'), 3, 'äb'],
    ['lose the character at the limit', Buffer.from('aäb'), 2, 'a'],
    ['lose an emoji of which three bytes fit', Buffer.from('a🦉b'), 4, 'a'],
    ['keep what fits exactly', Buffer.from('äb'), 2, 'ä'],
    ['that are no text show it', Buffer.from([0x41, 0xff, 0x42]), 9, 'A\uFFFDB'],
    ['that break off by themselves show it', Buffer.from([0x41, 0xc3]), 9, 'A\uFFFD'],
    ['keep a byte order mark', Buffer.from('\uFEFFa'), 9, '\uFEFFa'],
  ])('%s', (_title, bytes, limit, expected) => {
    expect(decodeStart(bytes, limit)).toBe(expected)
  })
})
