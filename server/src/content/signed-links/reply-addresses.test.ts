import { expect, it } from 'vitest'
import { createKeyring, newMasterKey } from '../../platform/secrets/keyring.ts'
import { isReplyAddress, readReplyAddress, replyAddress } from './reply-addresses.ts'
import { readToken, signToken } from './signed-links.ts'

const TENANT = '0197f2a0-0000-7000-8000-000000000001'
const MESSAGE = '0197f2a0-0000-7000-8000-000000000002.00ff00ff00ff00ff'
const [oldKey, newKey] = [newMasterKey(), newMasterKey()]
const before = createKeyring([oldKey])
const rotated = createKeyring([newKey, oldKey])
const dropped = createKeyring([newKey])
const address = replyAddress(before, TENANT, MESSAGE, 'reply.example.com')

it('a reply address names its mail, in upper and lower case', () => {
  expect(readReplyAddress(before, TENANT, address)).toBe(MESSAGE)
  expect(readReplyAddress(before, TENANT, address.toUpperCase())).toBe(MESSAGE)
  expect(isReplyAddress(address.toUpperCase(), 'Reply.example.com')).toBe(true)
})

it('a reply address is valid for one tenant only', () => {
  expect(readReplyAddress(before, TENANT.replace('1', '2'), address)).toBeUndefined()
  expect(isReplyAddress(address, 'example.com')).toBe(false)
})

it('a reply address is invalid when one character of its token changes', () => {
  const token = address.slice('reply+'.length, address.indexOf('@'))
  for (let at = 0; at < token.length; at++)
    for (const letter of 'az27') {
      if (token[at] === letter) continue
      const changed = `reply+${token.slice(0, at)}${letter}${token.slice(at + 1)}@reply.example.com`
      expect(readReplyAddress(before, TENANT, changed)).toBeUndefined()
    }
})

it('a reply address and a thread link become invalid when their key is dropped', { tags: 'S001-30' }, () => {
  const claim = { tenant_id: TENANT, user_id: 'ada', thread_kind: 'issue', thread_id: '42' }
  const token = signToken(before, 'thread', claim, new Date(Date.now() + 60_000))
  expect(readToken(rotated, 'thread', token, Date.now())).toMatchObject(claim)
  expect(readReplyAddress(rotated, TENANT, address)).toBe(MESSAGE)
  expect(readToken(dropped, 'thread', token, Date.now())).toBeUndefined()
  expect(readReplyAddress(dropped, TENANT, address)).toBeUndefined()
})
