import { expect, test } from 'vitest'
import { follow } from './use-form.ts'

test('what somebody else has stored shows in the fields that were not touched here, and only there', () => {
  const opened = { days: 7, zone: 'UTC', names: ['a'] }
  const edited = { ...opened, days: 30 }
  expect(follow(edited, opened, { days: 8, zone: 'Asia/Kolkata', names: ['a', 'b'] })).toEqual({
    days: 30,
    zone: 'Asia/Kolkata',
    names: ['a', 'b'],
  })
})

test('after saving, nothing is left that differs from what is stored', () => {
  const stored = { name: 'trimmed' }
  expect(follow({ name: 'trimmed' }, { name: 'before' }, stored)).toEqual(stored)
})
