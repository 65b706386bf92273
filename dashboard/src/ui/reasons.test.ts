import { expect, test } from 'vitest'
import { sayCodes, sayIn } from './reasons.ts'

test('a reason is said in words, and not twice', () => {
  expect(sayIn('Skipped: no_address.', 'no_address')).toBe('Skipped: no address for this channel.')
  expect(sayIn('Cancelled: cancelled.', 'cancelled')).toBe('Cancelled.')
  expect(sayIn('Sent through capture.', '')).toBe('Sent through capture.')
})

test('codes in a summary are said in words, and other words stay', () => {
  expect(sayCodes('1 skipped (no_address), by in_app.')).toBe(
    '1 skipped (no address for this channel), by in_app.',
  )
})
