import { expect, it } from 'vitest'
import { anItem } from './item.fixture.ts'
import type { View } from './state.ts'
import { inOrder, isShown, queryOf } from './views.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const PAST = '2026-03-01T11:00:00.000Z'
const FUTURE = '2026-03-01T13:00:00.000Z'
const view = (tab: View['tab'], query = ''): View => ({ tab, query })

it.each([
  [view('inbox'), ''],
  [view('saved'), 'is:saved'],
  [view('done', '  topic:docs '), 'is:done topic:docs'],
])('%j is listed by %j', (given, query) => {
  expect(queryOf(given)).toBe(query)
})

it.each([
  ['inbox', '', {}, true],
  ['inbox', '', { done_at: PAST }, false],
  ['inbox', '', { snoozed_until: FUTURE }, false],
  ['inbox', '', { snoozed_until: PAST }, true],
  ['inbox', '', { expires_at: PAST }, false],
  ['saved', '', { saved_at: PAST, done_at: PAST, snoozed_until: FUTURE }, true],
  ['saved', '', {}, false],
  ['done', '', { done_at: PAST }, true],
  ['done', '', { done_at: PAST, snoozed_until: FUTURE }, false],
  ['inbox', 'topic:docs', {}, undefined],
  ['inbox', 'topic:docs', { done_at: PAST }, false],
  ['inbox', 'is:all', { done_at: PAST }, undefined],
] as const)('tab %s with %j has %j: %s', (tab, query, fields, shown) => {
  expect(isShown(anItem(fields), view(tab, query), NOW)).toBe(shown)
})

it('lists the newest event first, and of the same time the later id', () => {
  const same = { last_event_at: PAST }
  const items = [
    anItem({ n: 1, ...same }),
    anItem({ n: 3, ...same }),
    anItem({ n: 2, last_event_at: FUTURE }),
  ]
  expect(inOrder(items).map(({ title }) => title)).toEqual(['Item 2', 'Item 3', 'Item 1'])
})
