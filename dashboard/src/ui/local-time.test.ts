import { expect, it } from 'vitest'
import { localTime, timeOf } from './local-time.ts'

it('goes to the field of the browser and back', () => {
  const at = new Date(2026, 2, 9, 7, 5)
  expect(localTime(at)).toBe('2026-03-09T07:05')
  expect(timeOf('2026-03-09T07:05')).toBe(at.toISOString())
})

it('passes on what is no time', () => {
  expect(timeOf('')).toBe('')
})
