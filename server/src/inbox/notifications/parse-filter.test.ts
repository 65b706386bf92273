import { expect, it } from 'vitest'
import {
  FILTER_KEYS,
  FILTER_STATES,
  FilterError,
  type FilterTerm,
  parseFilter,
  writeFilter,
} from './parse-filter.ts'

const term = (key: string, value: string, negated = false) => ({ key, value, negated })

it.each([
  ['', []],
  ['   ', []],
  ['is:unread', [term('is', 'unread')]],
  ['-is:done', [term('is', 'done', true)]],
  ['NOT is:done', [term('is', 'done', true)]],
  ['reason:mention topic:docs', [term('reason', 'mention'), term('topic', 'docs')]],
  ['topic:"a b"', [term('topic', 'a b')]],
  ['topic:""', [term('topic', '')]],
  ['thread:issue/1/2', [term('thread', 'issue/1/2')]],
  ['date:2024-02-29', [term('date', '2024-02-29')]],
  ['hello -world', [term('text', 'hello'), term('text', 'world', true)]],
  ['"is:unread"', [term('text', 'is:unread')]],
  ['"say \\"hi\\" \\\\ bye"', [term('text', 'say "hi" \\ bye')]],
  ['NOTHING', [term('text', 'NOTHING')]],
  ['"NOT" x', [term('text', 'NOT'), term('text', 'x')]],
  ['from:user:7', [term('from', 'user:7')]],
  ['semi-detached', [term('text', 'semi-detached')]],
])('the filter %s is read', (query, terms) => {
  expect(parseFilter(query)).toEqual(terms)
})

it.each([
  ['is:unraed', 4, /Did you mean "unread"/],
  ['hello reson:mention', 7, /Did you mean "reason"/],
  ['a re:invoice', 3, /no filter/],
  ['a 12:30', 5, /into quotes/],
  ['topic:', 7, /value after "topic:"/],
  ['topic: x', 7, /value after "topic:"/],
  ['a -', 3, /term after "-"/],
  ['NOT ', 1, /term after "NOT"/],
  ['x NOT', 3, /term after "NOT"/],
  ['NOT NOT x', 1, /term after "NOT"/],
  ['-NOT x', 1, /term after "-"/],
  ['NOT -x', 1, /term after "NOT"/],
  ['--x', 1, /term after "-"/],
  ['x "open', 3, /not closed/],
  ['x "a"b', 6, /space after the quote/],
  ['ab"c"', 3, /middle of a word/],
  ['""', 1, /nothing between/],
  ['"a\\n"', 3, /backslash/],
  ['thread:issue', 8, /kind\/id/],
  ['date:2026-02-30', 6, /a day such as/],
])('the filter %s is refused with the place of the mistake', (query, position, message) => {
  const refusal = (() => {
    try {
      return parseFilter(query)
    } catch (error) {
      return error as FilterError
    }
  })()
  expect(refusal).toBeInstanceOf(FilterError)
  expect(refusal).toMatchObject({ position, message: expect.stringMatching(message) })
})

/** A small generator of numbers, so that a failure can be repeated. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
const LETTERS = ['a', 'B', '7', ' ', '"', '\\', ':', '-', '/', '\t', 'é', '😀', 'NOT', 'is:', "'", '%', '_']

it('any filter that is written is read back as it was', () => {
  const next = numbersFrom(1)
  const text = () => Array.from({ length: 1 + next(6) }, () => LETTERS[next(LETTERS.length)]).join('')
  const anyTerm = (): FilterTerm => {
    const negated = next(2) === 0
    const key = (['is', 'text', ...FILTER_KEYS] as const)[next(FILTER_KEYS.length + 2)]!
    if (key === 'is') return { key, value: FILTER_STATES[next(FILTER_STATES.length)]!, negated }
    if (key === 'thread') return { key, value: `issue/${text()}`, negated }
    if (key === 'date') return { key, value: `202${next(10)}-0${1 + next(9)}-1${next(10)}`, negated }
    return { key, value: text(), negated }
  }
  for (let i = 0; i < 5000; i++) {
    const terms = Array.from({ length: next(5) }, anyTerm)
    const written = writeFilter(terms)
    expect([written, parseFilter(written)]).toEqual([written, terms])
  }
})

it('any text is either understood as a filter or refused at a place within it', () => {
  const next = numbersFrom(2)
  let understood = 0
  for (let i = 0; i < 20_000; i++) {
    const query = Array.from({ length: next(12) }, () => LETTERS[next(LETTERS.length)]).join('')
    try {
      const terms = parseFilter(query)
      understood++
      expect([query, parseFilter(writeFilter(terms))]).toEqual([query, terms])
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      expect([query, error.position >= 1 && error.position <= query.length + 1]).toEqual([query, true])
    }
  }
  expect(understood).toBeGreaterThan(1000)
})
