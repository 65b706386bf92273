import { expect, it } from 'vitest'
import { z } from 'zod'
import { createKeyring, newMasterKey } from './keyring.ts'
import { readClaim, signClaim } from './signed-claims.ts'

const [oldKey, newKey] = [newMasterKey(), newMasterKey()]
const keyring = createKeyring([oldKey])
const schema = z.object({ user_id: z.string(), epoch: z.number() })
const TOKEN = { purpose: 'user token', prefix: 'cut_', schema }
const LINK = { purpose: 'sign-in link', schema }
const claim = { user_id: 'ada <ü> 😀', epoch: 3 }
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

it.each([
  ['with a prefix', TOKEN, /^cut_[\w-]+\.[\w-]{43}$/],
  ['without one', LINK, /^[\w-]+\.[\w-]{43}$/],
])('a claim %s is read as it was signed', (_what, kind, form) => {
  const token = signClaim(keyring, kind, claim)
  expect(token).toMatch(form)
  expect(readClaim(keyring, kind, token)).toEqual(claim)
})

it.each([TOKEN, LINK])('a claim for a $purpose is invalid with one character changed, cut or added', kind => {
  const token = signClaim(keyring, kind, claim)
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A'
    const changed = token.slice(0, i) + other + token.slice(i + 1)
    expect([i, readClaim(keyring, kind, changed)]).toEqual([i, undefined])
  }
  const [text] = token.split('.')
  for (const broken of [
    '',
    '.',
    'cut_',
    'cut_.',
    `${token}.`,
    `${token}=`,
    token.slice(0, -2),
    text!,
    `${text}.`,
  ])
    expect([broken, readClaim(keyring, kind, broken)]).toEqual([broken, undefined])
})

it('a claim has one spelling: spare bits of the last character are not ignored', () => {
  const token = signClaim(keyring, TOKEN, claim)
  const spellings = [...BASE64URL].map(letter => token.slice(0, -1) + letter)
  expect(spellings.filter(spelling => readClaim(keyring, TOKEN, spelling) !== undefined)).toEqual([token])
})

it('a claim is invalid for another purpose and under another master key', () => {
  const token = signClaim(keyring, LINK, claim)
  expect(readClaim(keyring, { ...LINK, purpose: 'preferences' }, token)).toBeUndefined()
  expect(readClaim(createKeyring([newKey]), LINK, token)).toBeUndefined()
})

it('a claim survives a rotation of the master key until the old key is dropped', () => {
  const token = signClaim(keyring, TOKEN, claim)
  expect(readClaim(createKeyring([newKey, oldKey]), TOKEN, token)).toEqual(claim)
})
