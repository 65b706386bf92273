import { expect, it } from 'vitest'
import { plain } from './plain.ts'

it.each([
  ['as it is', 'as it is'],
  ['two\r\n\tlines', 'two lines'],
  ['\u202egnp.exe\u202c', 'gnp.exe'],
  ['\u2066isolated\u2069', 'isolated'],
  ['מה נשמע\u200f!', 'מה נשמע\u200f!'],
  ['a\u0000b\u2028c', 'a b c'],
  ['<b>&amp;', '<b>&amp;'],
  ['', ''],
])('%j is shown as %j', (text, shown) => {
  expect(plain(text, 100)).toBe(shown)
})

it('cuts what nobody reads to the end, never within a character', () => {
  expect(plain('x'.repeat(100_000), 10)).toBe('xxxxxxxxxx…')
  expect(plain('x'.repeat(10), 10)).toBe('xxxxxxxxxx')
  expect(plain('1234🔔🔔', 5)).toBe('1234…')
})
