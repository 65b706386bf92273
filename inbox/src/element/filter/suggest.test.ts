import { expect, it } from 'vitest'
import { complete, type Known, suggest } from './suggest.ts'

const KNOWN: Known = {
  is: ['unread', 'read', 'snoozed'],
  reason: ['mention', 'author'],
  topic: ['docs', 'api server', 'say "hi"', ''],
}
const texts = (query: string, caret = query.length) => suggest(query, caret, KNOWN).map(({ text }) => text)

it.each([
  ['', ['is:', 'reason:', 'topic:', 'from:', 'type:', 'kind:', 'thread:', 'date:']],
  ['t', ['topic:', 'type:', 'thread:']],
  ['is:unread re', ['reason:']],
  ['-r', ['-reason:']],
  ['is:', ['is:unread', 'is:read', 'is:snoozed']],
  ['is:rea', ['is:read', 'is:unread']],
  ['-is:sn', ['-is:snoozed']],
  ['topic:', ['topic:docs', 'topic:"api server"', 'topic:"say \\"hi\\""', 'topic:""']],
  ['topic:"api s', ['topic:"api server"']],
  ['"re', []],
  ['word', []],
  ['nonsense:', []],
])('suggests for %j', (query, expected) => {
  expect(texts(query)).toEqual(expected)
})

it('looks only at the term that the caret is in', () => {
  expect(texts('is:un topic:docs', 5)).toEqual(['is:unread'])
})

it.each([
  ['is:un', 5, 'is:unread ', 10],
  ['is:un topic:docs', 5, 'is:unread topic:docs', 10],
  ['parser is:u', 11, 'parser is:unread ', 17],
  ['is:unread', 5, 'is:unread ', 10],
])('puts a suggestion in the place of %j', (query, caret, expected, next) => {
  const [suggestion] = suggest(query, caret, KNOWN)
  expect(complete(query, caret, suggestion!)).toEqual({ query: expected, caret: next })
})

it('lets one go on typing after a key', () => {
  expect(complete('re', 2, suggest('re', 2, KNOWN)[0]!)).toEqual({ query: 'reason:', caret: 7 })
})
