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

it('names the mail, in any case of its letters', () => {
  expect(readReplyAddress(before, TENANT, address)).toBe(MESSAGE)
  expect(readReplyAddress(before, TENANT, address.toUpperCase())).toBe(MESSAGE)
  expect(isReplyAddress(address.toUpperCase(), 'Reply.example.com')).toBe(true)
})

it('is for one tenant alone', () => {
  expect(readReplyAddress(before, TENANT.replace('1', '2'), address)).toBeUndefined()
  expect(isReplyAddress(address, 'example.com')).toBe(false)
})

it('is no longer valid with any bit of its token changed', () => {
  const token = address.slice('reply+'.length, address.indexOf('@'))
  for (let at = 0; at < token.length; at++)
    for (const letter of 'az27') {
      if (token[at] === letter) continue
      const changed = `reply+${token.slice(0, at)}${letter}${token.slice(at + 1)}@reply.example.com`
      expect(readReplyAddress(before, TENANT, changed)).toBeUndefined()
    }
})

it('ends with its key, as the link that leaves a thread does', { tags: 'S001-30' }, () => {
  const claim = { tenant_id: TENANT, user_id: 'ada', thread_kind: 'issue', thread_id: '42' }
  const token = signToken(before, 'thread', claim, new Date(Date.now() + 60_000))
  expect(readToken(rotated, 'thread', token, Date.now())).toMatchObject(claim)
  expect(readReplyAddress(rotated, TENANT, address)).toBe(MESSAGE)
  expect(readToken(dropped, 'thread', token, Date.now())).toBeUndefined()
  expect(readReplyAddress(dropped, TENANT, address)).toBeUndefined()
})
