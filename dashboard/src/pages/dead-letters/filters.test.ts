import { expect, test } from 'vitest'
import { filterOf, stateOf, valuesOf } from './filters.ts'

test('letters without a provider or a template can stand in an address', () => {
  const filter = { failure_reason: 'target_missing', provider: '', template: '', channel: 'email' } as const
  const values = valuesOf(filter)
  expect(Object.values(values).every(value => value !== '')).toBe(true)
  expect(filterOf(values)).toEqual(filter)
})

test('the state is no part of the filter', () => {
  expect(filterOf({ state: 'all', channel: 'sms' })).toEqual({ channel: 'sms' })
  expect(stateOf({ state: 'all' })).toBe('all')
  expect(stateOf({})).toBe('open')
  expect(stateOf({ state: 'nonsense' })).toBe('open')
})
