import { expect, test } from 'vitest'
import { changedValues } from './changed-values.ts'

test('has what differs, also inside a value, and nothing else', () => {
  const opened = { name: 'a', limit: 1, config: { url: 'x', headers: {} } }
  expect(changedValues(opened, { ...opened })).toEqual({})
  expect(changedValues(opened, { ...opened, limit: 2, config: { url: 'y', headers: {} } })).toEqual({
    limit: 2,
    config: { url: 'y', headers: {} },
  })
})

test('what is taken away is sent as such', () => {
  expect(changedValues<{ limit: number | null }>({ limit: 1 }, { limit: null })).toEqual({ limit: null })
})
