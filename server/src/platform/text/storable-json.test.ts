import { expect, it } from 'vitest'
import { toStorableJson } from './storable-json.ts'

it.each([
  ['plain text', { a: 'x\ny "z"' }, { a: 'x\ny "z"' }],
  ['NUL', { a: 'x\0y' }, { a: 'x\uFFFDy' }],
  ['NUL in a name', { 'x\0y': 1 }, { 'x\uFFFDy': 1 }],
  ['half a character', { a: '\ud83d', b: '\udd14' }, { a: '\uFFFD', b: '\uFFFD' }],
  ['a whole character', { a: '🔔' }, { a: '🔔' }],
  ['text that looks like an escape', { a: '\\u0000 \\\\ud800' }, { a: '\\u0000 \\\\ud800' }],
  ['a backslash before NUL', { a: '\\\0' }, { a: '\\\uFFFD' }],
  ['other control characters', { a: '\u0001\u001f' }, { a: '\u0001\u001f' }],
])('%s', (_what, value, stored) => {
  expect(JSON.parse(toStorableJson(value))).toEqual(stored)
})
