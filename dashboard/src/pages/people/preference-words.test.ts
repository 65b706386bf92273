import { expect, test } from 'vitest'
import { categoryRows, channelWish, partWish, sayCaps, sayDaily, sayQuietHours } from './preference-words.ts'

const none = { channels: {}, categories: {}, reasons: {}, digests: {} }

test('without a choice, the default holds, and without a default, everything is wanted', () => {
  expect(channelWish(none, none, 'email')).toEqual({ isOn: true, isOwn: false, isOnByDefault: true })
  const defaults = { ...none, categories: { news: { email: false } } }
  expect(partWish(none, defaults, 'categories', 'news', 'email')).toEqual({
    isOn: false,
    isOwn: false,
    isOnByDefault: false,
  })
  const theirs = { ...none, categories: { news: { email: true } } }
  expect(partWish(theirs, defaults, 'categories', 'news', 'email')).toMatchObject({
    isOn: true,
    isOwn: true,
  })
})

test('categories with a name come first, in their order', () => {
  const times = { created_at: '', updated_at: '', description: '' }
  const known = [
    { category: 'b', name: '', required: false, position: 2, ...times },
    { category: 'a', name: 'Codes', required: true, position: 9, ...times },
  ]
  expect(categoryRows(known, ['zz_top', 'a', '']).map(({ name }) => name)).toEqual(['B', 'Codes', 'Zz top'])
})

test('quiet hours in words', () => {
  expect(sayQuietHours(null)).toBeUndefined()
  expect(sayQuietHours([])).toBe('never')
  expect(sayQuietHours([{ start: '22:00', end: '08:00' }])).toBe('22:00–08:00')
  expect(
    sayQuietHours([
      { start: '22:00', end: '08:00', days: ['friday', 'monday', 'tuesday', 'wednesday', 'thursday'] },
      { start: '00:00', end: '24:00', days: ['sunday', 'saturday'] },
    ]),
  ).toBe('22:00–08:00 Mon–Fri; 00:00–24:00 Sat, Sun')
})

test('caps in words', () => {
  expect(sayDaily(null)).toBeUndefined()
  expect(sayDaily(0)).toBe('none at all')
  expect(sayDaily(20)).toBe('20 a day')
  expect(sayCaps(null)).toBeUndefined()
  expect(sayCaps([])).toBe('none')
  expect(
    sayCaps([
      { per: 'hour', max: 5, over: 'digest' },
      { per: 'week', max: 9, category: 'news', over: 'skip' },
    ]),
  ).toBe('5 an hour, the rest collected; 9 a week of news')
})
