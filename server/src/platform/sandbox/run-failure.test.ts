import { expect, test } from 'vitest'
import { plainText, problemOf, saySyntax, sayThrown } from './run-failure.ts'

const thrown = (changes = {}) => ({ name: 'TypeError', message: 'no', stack: '', ...changes })

test.each<[string, object, string]>([
  ['without a stack', {}, 'TypeError: no'],
  ['in a function', { stack: '    at total (order.js:3:12)\n' }, 'TypeError: no (line 3, column 12)'],
  ['at the top', { stack: '    at order.js:3:12\n' }, 'TypeError: no (line 3, column 12)'],
  [
    'below a builtin and the prelude',
    { stack: '    at map (native)\n    at get (<prelude>:2:2)\n    at <anonymous> (order.js:3:12)\n' },
    'TypeError: no (line 3, column 12)',
  ],
  [
    'in a function with an odd name',
    { stack: '    at a (b:1:1) (order.js:3:12)\n' },
    'TypeError: no (line 3, column 12)',
  ],
  ['in other files only', { stack: '    at total (other.js:3:12)\n' }, 'TypeError: no'],
  ['with nonsense', { stack: 'order.js:3:12 order.js:x:y' }, 'TypeError: no'],
  ['without a name', { name: '' }, 'no'],
  ['without a message', { message: '' }, 'TypeError'],
  [
    'without anything',
    { name: '', message: '' },
    'The script threw something that says nothing about itself.',
  ],
])('an error is told with its place: %s', (_what, changes, text) => {
  expect(sayThrown(thrown(changes), 'order.js')).toBe(text)
})

test('a syntax error has a line and no column', () => {
  const syntax = thrown({ name: 'SyntaxError', stack: '    at order.js:3:1\n' })
  expect(problemOf(syntax, 'order.js')).toEqual({ message: 'SyntaxError: no', line: 3 })
  expect(saySyntax(syntax, 'order.js')).toBe('SyntaxError: no (line 3)')
  expect(problemOf(thrown(), 'order.js').line).toBeNull()
})

test('text is one line of whole characters with a limited length', () => {
  expect(plainText('a\u0000\n\u001b[1mb\ud800')).toBe('a [1mb\ufffd')
  expect(plainText('x'.repeat(5000))).toHaveLength(1000)
})
