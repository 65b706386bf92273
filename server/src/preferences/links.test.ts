import { describe, expect, it } from 'vitest'
import { aRoute } from '../delivery/claimed-route.fixture.ts'
import { createKeyring, newMasterKey } from '../secrets/keyring.ts'
import { createUnsubscribeUrl, pageLink, readToken, signToken } from './links.ts'

const [oldKey, newKey] = [newMasterKey(), newMasterKey()]
const keyring = createKeyring([oldKey])
const NOW = Date.parse('2026-05-05T12:00:00Z')
const holder = { tenant_id: '0197f2a0-0000-7000-8000-000000000001', user_id: 'ada <ü> 😀' }
const inOneHour = new Date(NOW + 3_600_000)
const token = signToken(keyring, 'preferences', holder, inOneHour)

describe('a signed link', () => {
  it('S001-30 says who it is for, until it expires', () => {
    expect(readToken(keyring, 'preferences', token, NOW)).toMatchObject(holder)
    expect(readToken(keyring, 'preferences', token, inOneHour.getTime() - 1)).toMatchObject(holder)
    expect(readToken(keyring, 'preferences', token, inOneHour.getTime())).toBe('expired')
  })

  it('S001-30 with any character changed, cut or added is none', () => {
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

  it('is worth nothing for another purpose or under another master key', () => {
    const other = signToken(keyring, 'unsubscribe', { ...holder, channel: 'email', category: '' }, inOneHour)
    expect(readToken(keyring, 'preferences', other, NOW)).toBeUndefined()
    expect(readToken(createKeyring([newKey]), 'preferences', token, NOW)).toBeUndefined()
  })

  it('S001-30 outlives a rotation of the master key until the old one is dropped', () => {
    expect(readToken(createKeyring([newKey, oldKey]), 'preferences', token, NOW)).toMatchObject(holder)
  })

  it('stands below the public address', () => {
    expect(pageLink(keyring, 'https://x.example/bells/', holder, inOneHour)).toBe(
      `https://x.example/bells/preferences/${token}`,
    )
  })
})

describe('the unsubscribe link', () => {
  const urlOf = createUnsubscribeUrl(keyring, 'https://x.example', () => NOW)

  it('S001-31 is on mail to users, names the category, and holds for a year', () => {
    const url = urlOf(aRoute({ category: 'news' }))!
    const read = readToken(keyring, 'unsubscribe', url.split('/').at(-1)!, NOW)
    expect(read).toMatchObject({
      user_id: 'ada',
      channel: 'email',
      category: 'news',
      expires: NOW / 1000 + 31_536_000,
    })
  })

  it.each([
    ['critical types', { critical: true }],
    ['plain addresses', { user_id: null }],
    ['other channels', { channel: 'sms' as const }],
  ])('is not on %s', (_name, route) => {
    expect(urlOf(aRoute(route))).toBeNull()
  })

  it('is nowhere without a public address', () => {
    expect(createUnsubscribeUrl(keyring, '', () => NOW)(aRoute())).toBeNull()
  })
})
