import { describe, expect, test } from 'vitest'
import { changesBetween, sayValue } from './field-changes.ts'

describe('what changed between two versions', () => {
  test('names only the fields that differ', () => {
    expect(changesBetween({ name: 'a', rate: 1 }, { name: 'a', rate: 2 })).toEqual([
      { field: 'rate', before: 1, after: 2 },
    ])
  })

  test('opens what is inside, so that one setting does not hide in many', () => {
    const before = { config: { host: 'old', port: 25 } }
    expect(changesBetween(before, { config: { host: 'new', port: 25 } })).toEqual([
      { field: 'config.host', before: 'old', after: 'new' },
    ])
  })

  test('shows every field of what was created or deleted', () => {
    const values = { id: 'ada', email: null, quota: { storage_mb: 5 } }
    expect(changesBetween(null, values)).toEqual([
      { field: 'id', before: undefined, after: 'ada' },
      { field: 'email', before: undefined, after: null },
      { field: 'quota.storage_mb', before: undefined, after: 5 },
    ])
    expect(changesBetween(values, null).map(({ field }) => field)).toEqual([
      'id',
      'email',
      'quota.storage_mb',
    ])
  })

  test('keeps lists whole', () => {
    expect(changesBetween({ scopes: ['a'] }, { scopes: ['a', 'b'] })).toEqual([
      { field: 'scopes', before: ['a'], after: ['a', 'b'] },
    ])
  })
})

describe('a value in words', () => {
  test.each([
    [null, 'nothing'],
    ['', 'nothing'],
    [undefined, 'nothing'],
    [true, 'yes'],
    [false, 'no'],
    [0, '0'],
    [[], 'none'],
    [['a', 'b'], 'a, b'],
    [[{ a: 1 }], '[{"a":1}]'],
    [{ a: 1 }, '{"a":1}'],
  ])('%j is %s', (value, words) => {
    expect(sayValue(value)).toBe(words)
  })
})
