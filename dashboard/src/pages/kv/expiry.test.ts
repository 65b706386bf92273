import { expect, it } from 'vitest'
import { localTime } from '../../ui/local-time.ts'
import { expiryText, ttlOf } from './expiry.ts'

const now = new Date(2026, 0, 31, 12, 0, 0).getTime()

it('lives for ever if nothing is given', () => {
  expect(ttlOf('', null, now)).toEqual({})
  expect(expiryText(null)).toBe('')
})

it('lives until the time that was chosen', () => {
  expect(ttlOf(localTime(new Date(now + 3_600_000)), null, now)).toEqual({ ttl_seconds: 3600 })
})

it('keeps its time to the second if that was not changed', () => {
  const before = new Date(now + 3_630_000).toISOString()
  expect(ttlOf(expiryText(before), before, now)).toEqual({ ttl_seconds: 3630 })
})

it('expires at once rather than never if the time is over', () => {
  expect(ttlOf(localTime(new Date(now - 60_000)), null, now)).toEqual({ ttl_seconds: 1 })
})
