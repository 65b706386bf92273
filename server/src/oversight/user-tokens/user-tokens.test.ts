import { describe, expect, it } from 'vitest'
import { endOf } from './user-tokens.ts'

const NOW = Date.parse('2026-05-05T12:00:00Z')
const claim = {
  tenant_id: '0197f2a0-0000-7000-8000-000000000001',
  user_id: 'ada <ü> 😀',
  epoch: 3,
  issued_ms: NOW,
  expires_ms: NOW + 3_600_000,
}
describe('the end of a token', () => {
  const holder = {
    tenant_id: claim.tenant_id,
    user_id: claim.user_id,
    epoch: 3,
    void_before: null,
    created_at: new Date(NOW - 1000),
    origins: [],
    requests_per_minute: 1,
    quota_requests_per_minute: null,
    is_storage_full: false,
    is_suspended: false,
    suspension_reason: '',
  }
  it.each([
    ['while it lasts', holder, NOW, undefined],
    ['until the last moment', holder, claim.expires_ms - 1, undefined],
    ['when its time is over', holder, claim.expires_ms, 'expired'],
    ['one epoch later', { ...holder, epoch: 4 }, NOW, undefined],
    ['two epochs later', { ...holder, epoch: 5 }, NOW, 'revoked'],
    ['voided before it was made', { ...holder, void_before: new Date(NOW - 1) }, NOW, undefined],
    ['voided in the same millisecond', { ...holder, void_before: new Date(NOW) }, NOW, 'revoked'],
    ['without its person', undefined, NOW, 'revoked'],
    ['of an earlier person with the same id', { ...holder, created_at: new Date(NOW + 1) }, NOW, 'revoked'],
  ])('endOf tells whether a user token has ended: %s', (_when, row, now, end) =>
    expect(endOf(claim, row, now)).toBe(end),
  )
})
