/** Tokens by themselves: what they say, who signed them, when they end. */
import { describe, expect, it } from 'vitest'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { endOf, readClaim, signClaim } from './user-tokens.ts'

const [oldKey, newKey] = [newMasterKey(), newMasterKey()]
const keyring = createKeyring([oldKey])
const NOW = Date.parse('2026-05-05T12:00:00Z')
const claim = {
  tenant_id: '0197f2a0-0000-7000-8000-000000000001',
  user_id: 'ada <ü> 😀',
  epoch: 3,
  issued_ms: NOW,
  expires_ms: NOW + 3_600_000,
}
const token = signClaim(keyring, claim)

it('a user token says whom it is for', () => expect(readClaim(keyring, token)).toEqual(claim))

it('a user token is invalid with one character changed, cut or added', () => {
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A'
    const changed = token.slice(0, i) + other + token.slice(i + 1)
    expect([i, readClaim(keyring, changed)]).toEqual([i, undefined])
  }
  const [text] = token.split('.')
  for (const broken of ['', 'cut_', 'cut_.', `${token}.`, `${token}=`, token.slice(0, -2), text!, `${text}.`])
    expect([broken, readClaim(keyring, broken)]).toEqual([broken, undefined])
})

it('a user token is invalid with a signature for another purpose and under another master key', () => {
  const [text] = token.split('.')
  const forged = `${text}.${keyring.sign('preferences', text!).toString('base64url')}`
  expect(readClaim(keyring, forged)).toBeUndefined()
  expect(readClaim(createKeyring([newKey]), token)).toBeUndefined()
})

it('a user token survives a rotation of the master key until the old key is dropped', () => {
  expect(readClaim(createKeyring([newKey, oldKey]), token)).toEqual(claim)
})

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
