import { expect, it } from 'vitest'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { preferencePageLink, readToken, signToken } from './signed-links.ts'

const [oldKey, newKey] = [newMasterKey(), newMasterKey()]
const keyring = createKeyring([oldKey])
const NOW = Date.parse('2026-05-05T12:00:00Z')
const person = { tenant_id: '0197f2a0-0000-7000-8000-000000000001', user_id: 'ada <ü> 😀' }
const inOneHour = new Date(NOW + 3_600_000)
const token = signToken(keyring, 'preferences', person, inOneHour)

it('a signed link names its person until it expires', { tags: 'S001-30' }, () => {
  expect(readToken(keyring, 'preferences', token, NOW)).toMatchObject(person)
  expect(readToken(keyring, 'preferences', token, inOneHour.getTime() - 1)).toMatchObject(person)
  expect(readToken(keyring, 'preferences', token, inOneHour.getTime())).toBe('expired')
})

it('a signed link is invalid with one character changed, cut or added', { tags: 'S001-30' }, () => {
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A'
    const changed = token.slice(0, i) + other + token.slice(i + 1)
    expect([i, readToken(keyring, 'preferences', changed, NOW)]).toEqual([i, undefined])
  }
  for (const broken of [
    '',
    '.',
    `${token}.`,
    'a.b',
    token.slice(0, -2),
    token.split('.')[0]!,
    `${token.split('.')[0]}.`,
  ])
    expect(readToken(keyring, 'preferences', broken, NOW)).toBeUndefined()
})

it('a signed link is invalid for another purpose and under another master key', () => {
  const other = signToken(keyring, 'unsubscribe', { ...person, channel: 'email', category: '' }, inOneHour)
  expect(readToken(keyring, 'preferences', other, NOW)).toBeUndefined()
  expect(readToken(createKeyring([newKey]), 'preferences', token, NOW)).toBeUndefined()
})

it('a signed link survives a rotation of the master key until the old key is dropped', {
  tags: 'S001-30',
}, () => {
  expect(readToken(createKeyring([newKey, oldKey]), 'preferences', token, NOW)).toMatchObject(person)
})

it('a retired master key verifies signed links until its time is over', () => {
  const at = (now: number) => createKeyring([newKey], [{ key: oldKey, until: inOneHour }], () => now)
  expect(readToken(at(NOW), 'preferences', token, NOW)).toMatchObject(person)
  expect(readToken(at(inOneHour.getTime()), 'preferences', token, NOW)).toBeUndefined()
})

it('a signed link starts with the public address', () => {
  expect(preferencePageLink(keyring, 'https://x.example/bells/', person, inOneHour)).toBe(
    `https://x.example/bells/preferences/${token}`,
  )
})
